//! The house rules that a machine can hold: floors, sizes, dead links, no panics by carelessness.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines past which a file fails; 600 is the aim.
const FILE_LINES_MAX: usize = 1_000;

/// Floors, lowest first. A module imports only floors below its own, and its own floor's modules.
const FLOORS: &[&[&str]] = &[
    &["error", "ids", "limits", "config", "clock", "cancel"],
    &["types"],
    &["codec"],
    &["storage"],
    &["lock"],
    &["txn"],
    &["catalog"],
    &["functions", "cluster"],
    &["parse"],
    &["bind"],
    &["plan"],
    &["exec"],
    &["session"],
    &["wire"],
    &["server"],
];

/// What is allowed besides (lower, higher), with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    // `fatal` in storage and dead ranges use the key layout, which is below; nothing above.
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root().join("src"), "rs", &mut found);
    assert!(found.len() > 50, "the sources were found");
    found
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source can be read");
            (path, text)
        })
        .collect()
}

fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).expect("under src");
    let first = inside
        .components()
        .next()
        .expect("a file has a name")
        .as_os_str()
        .to_string_lossy()
        .into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

#[test]
fn files_are_rooms_one_can_live_in() {
    let large: Vec<String> = sources()
        .iter()
        .filter(|(_, text)| text.lines().count() > FILE_LINES_MAX)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(large.is_empty(), "files over {FILE_LINES_MAX} lines: {large:#?}");
}

#[test]
fn modules_import_only_floors_below() {
    let mut wrong = BTreeMap::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        // Tests may look anywhere.
        if path.to_string_lossy().contains("test") {
            continue;
        }
        let Some(own) = floor(&module) else { continue };
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .expect("split gives a first part");
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for used in line.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let Some(other) = floor(&name) else { continue };
                let same = name == module;
                let allowed = EXCEPTIONS.contains(&(module.as_str(), name.as_str()));
                if !same && other >= own && own != 0 && !allowed {
                    wrong.insert(format!("{module} -> {name}"), path.display().to_string());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports of a higher floor, or of a neighbour: {wrong:#?}");
}

#[test]
fn nobody_unwraps_or_leaves_todos() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        if path.to_string_lossy().contains("test") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().expect("split gives a first part");
        for (number, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default();
            if [".unwrap()", "todo!(", "unimplemented!(", "dbg!("]
                .iter()
                .any(|word| line.contains(word))
            {
                wrong.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn links_in_the_readmes_lead_somewhere() {
    let mut pages = Vec::new();
    files(&root().join("src"), "md", &mut pages);
    files(&root().join("docs"), "md", &mut pages);
    pages.push(root().join("README.md"));
    let mut dead = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page can be read");
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            if !page.parent().expect("a page lies in a folder").join(target).exists() {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}
