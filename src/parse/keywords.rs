//! PostgreSQL 15's key words and what each may name (docs, appendix C), over sqlparser's [`Keyword`].
//!
//! The lexer gives a word its `Keyword` only if PostgreSQL has it as a key word too: words that other dialects reserve
//! (QUALIFY, TOP, PIVOT) reach sqlparser as plain identifiers. Key words that sqlparser does not know keep
//! `Keyword::NoKeyword` and are told by their text.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use sqlparser::keywords::{ALL_KEYWORDS, ALL_KEYWORDS_INDEX, Keyword};
use sqlparser::tokenizer::Word;

/// What a key word may be used for without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Any name.
    Unreserved,
    /// Names of columns and tables, not of functions and types.
    ColumnName,
    /// Names of functions and types, not of columns and tables.
    TypeFunction,
    /// Only a label after AS.
    Reserved,
}

/// Key words that may name anything.
pub(crate) const UNRESERVED: &str = "\
    abort absolute access action add admin after aggregate also alter always asensitive assertion assignment at \
    atomic attach attribute backward before begin breadth by cache call called cascade cascaded catalog chain \
    characteristics checkpoint class close cluster columns comment comments commit committed compression \
    configuration conflict connection constraints content continue conversion copy cost csv cube current cursor \
    cycle data database day deallocate declare defaults deferred definer delete delimiter delimiters depends depth \
    detach dictionary disable discard document domain double drop each enable encoding encrypted enum escape event \
    exclude excluding exclusive execute explain expression extension external family filter finalize first \
    following force forward function functions generated global granted groups handler header hold hour identity if \
    immediate immutable implicit import include including increment index indexes inherit inherits inline input \
    insensitive insert instead invoker isolation key label language large last leakproof level listen load local \
    location lock locked logged mapping match matched materialized maxvalue merge method minute minvalue mode month \
    move name names new next nfc nfd nfkc nfkd no normalized nothing notify nowait nulls object of off oids old \
    operator option options ordinality others over overriding owned owner parallel parameter parser partial \
    partition passing password plans policy preceding prepare prepared preserve prior privileges procedural \
    procedure procedures program publication quote range read reassign recheck recursive ref referencing refresh \
    reindex relative release rename repeatable replace replica reset restart restrict return returns revoke role \
    rollback rollup routine routines rows rule savepoint schema schemas scroll search second security sequence \
    sequences serializable server session set sets share show simple skip snapshot sql stable standalone start \
    statement statistics stdin stdout storage stored strict strip subscription support sysid system tables \
    tablespace temp template temporary text ties transaction transform trigger truncate trusted type types uescape \
    unbounded uncommitted unencrypted unknown unlisten unlogged until update vacuum valid validate validator value \
    varying version view views volatile whitespace within without work wrapper write xml year yes zone";
/// Key words that may name columns and tables.
pub(crate) const COLUMN_NAME: &str = "\
    between bigint bit boolean char character coalesce dec decimal exists extract float greatest grouping inout int \
    integer interval least national nchar none normalize nullif numeric out overlay position precision real row \
    setof smallint substring time timestamp treat trim values varchar xmlattributes xmlconcat xmlelement xmlexists \
    xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable";
/// Key words that may name functions and types.
pub(crate) const TYPE_FUNCTION: &str = "\
    authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join left \
    like natural notnull outer overlaps right similar tablesample verbose";
/// Key words that may name nothing.
pub(crate) const RESERVED: &str = "\
    all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create \
    current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc \
    distinct do else end except false fetch for foreign from grant group having in initially intersect into lateral \
    leading limit localtime localtimestamp not null offset on only or order placing primary references returning \
    select session_user some symmetric table then to trailing true union unique user using variadic when where \
    window with";
/// Key words that are a column label only after AS.
pub(crate) const NEEDS_AS: &str = "\
    day filter hour minute month over second varying within without year char character precision isnull notnull \
    overlaps array as create except fetch for from grant group having intersect into limit offset on order \
    returning to union where window with";

/// Words that sqlparser's query parser knows by `Keyword` although PostgreSQL has them as plain names.
const PLAIN_BUT_NEEDED: &str = "bernoulli";

#[derive(Clone, Copy)]
struct Entry {
    keyword: Keyword,
    category: Category,
}

struct Tables {
    by_text: FxHashMap<&'static str, Entry>,
    /// By `Keyword as usize`.
    by_keyword: Vec<Option<(Category, bool)>>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let known: FxHashMap<String, Keyword> = ALL_KEYWORDS
        .iter()
        .zip(ALL_KEYWORDS_INDEX)
        .map(|(text, keyword)| (text.to_ascii_lowercase(), *keyword))
        .collect();
    let needs_as: Vec<&str> = NEEDS_AS.split_whitespace().collect();
    let lists = [
        (UNRESERVED, Category::Unreserved),
        (COLUMN_NAME, Category::ColumnName),
        (TYPE_FUNCTION, Category::TypeFunction),
        (RESERVED, Category::Reserved),
        (PLAIN_BUT_NEEDED, Category::Unreserved),
    ];
    let mut by_text = FxHashMap::default();
    let mut by_keyword = vec![None; ALL_KEYWORDS.len() + 1];
    for (words, category) in lists {
        for text in words.split_whitespace() {
            let keyword = known.get(text).copied().unwrap_or(Keyword::NoKeyword);
            let bare_label = !needs_as.contains(&text);
            if keyword != Keyword::NoKeyword {
                by_keyword[keyword as usize] = Some((category, bare_label));
            }
            by_text.insert(text, Entry { keyword, category });
        }
    }
    Tables { by_text, by_keyword }
});

/// The `Keyword` of an unquoted, folded word.
pub(crate) fn lookup(folded: &str) -> Keyword {
    TABLES.by_text.get(folded).map_or(Keyword::NoKeyword, |entry| entry.keyword)
}

/// What the word may name; a quoted word may name anything.
pub(crate) fn category(word: &Word) -> Category {
    if word.quote_style.is_some() {
        return Category::Unreserved;
    }
    match TABLES.by_keyword[word.keyword as usize] {
        Some((category, _)) => category,
        None => TABLES
            .by_text
            .get(word.value.as_str())
            .map_or(Category::Unreserved, |entry| entry.category),
    }
}

/// As [`category`], where sqlparser hands over only the `Keyword`.
pub(crate) fn category_of(keyword: Keyword) -> Category {
    TABLES.by_keyword[keyword as usize].map_or(Category::Unreserved, |(category, _)| category)
}

/// Whether the key word may be a column label without AS.
pub(crate) fn is_bare_label(keyword: Keyword) -> bool {
    TABLES.by_keyword[keyword as usize].is_none_or(|(_, bare_label)| bare_label)
}

/// Whether the word (key word or not) must be quoted to name a column or table, as `quote_identifier` decides.
pub(crate) fn must_quote(folded: &str) -> bool {
    TABLES
        .by_text
        .get(folded)
        .is_some_and(|entry| entry.category != Category::Unreserved)
}
