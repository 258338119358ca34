//! The objects of a new data directory and of a new database, read from `sql/bootstrap.sql`.

use std::sync::{Arc, LazyLock};

use smol_str::SmolStr;

use super::base::{BOOTSTRAP_SUPERUSER, Reader, option, statements};
use super::catalog::class;
use super::objects::{Comment, Database, Object, Role, Schema};
use crate::ids::Oid;

/// Objects of a new directory.
#[derive(Default)]
pub(super) struct Bootstrap {
    /// Roles, databases, comments on them.
    pub shared: Vec<Object>,
    /// What each database starts with.
    pub database: Vec<Object>,
}

static BOOTSTRAP: LazyLock<Bootstrap> = LazyLock::new(|| {
    let mut bootstrap = Bootstrap::default();
    for statement in statements(include_str!("../../sql/bootstrap.sql")) {
        bootstrap
            .take(statement)
            .unwrap_or_else(|wrong| panic!("sql/bootstrap.sql: {wrong} in: {statement}"));
    }
    bootstrap
});

impl Bootstrap {
    pub(super) fn get() -> &'static Bootstrap {
        &BOOTSTRAP
    }

    fn take(&mut self, statement: &str) -> Result<(), String> {
        let mut reader = Reader { rest: statement };
        reader.word("CREATE")?;
        let what = reader.identifier()?;
        let name = SmolStr::new(reader.identifier()?);
        let options = reader.options()?;
        let oid = Oid(option(&options, "oid")
            .and_then(|text| text.parse().ok())
            .ok_or("oid is missing")?);
        let on = |key: &str| option(&options, key) == Some("true");
        let (object, of_class) = match what {
            "ROLE" => (Object::Role(Arc::new(role(oid, name, &options))), class::AUTHID),
            "DATABASE" => {
                let database = Database {
                    oid,
                    name,
                    owner: BOOTSTRAP_SUPERUSER,
                    allow_connections: on("connections"),
                    is_template: on("template"),
                    connection_limit: -1,
                    settings: Vec::new(),
                };
                (Object::Database(Arc::new(database)), class::DATABASE)
            }
            "SCHEMA" => {
                let owner = option(&options, "owner")
                    .and_then(|text| text.parse().ok())
                    .map_or(BOOTSTRAP_SUPERUSER, Oid);
                (Object::Schema(Arc::new(Schema { oid, name, owner })), class::NAMESPACE)
            }
            other => return Err(format!("CREATE {other}")),
        };
        let list = if what == "SCHEMA" {
            &mut self.database
        } else {
            &mut self.shared
        };
        list.push(object);
        if let Some(text) = option(&options, "comment") {
            list.push(Object::Comment(Arc::new(Comment {
                class: of_class,
                object: oid,
                sub: 0,
                text: text.to_owned(),
            })));
        }
        Ok(())
    }
}

fn role(oid: Oid, name: SmolStr, options: &[(&str, &str)]) -> Role {
    let superuser = option(options, "superuser") == Some("true");
    Role {
        oid,
        name,
        superuser,
        inherit: true,
        create_role: superuser,
        create_db: superuser,
        login: option(options, "login") == Some("true"),
        replication: superuser,
        bypass_rls: superuser,
        connection_limit: -1,
        password: None,
        valid_until: None,
        member_of: option(options, "member_of")
            .unwrap_or_default()
            .split_ascii_whitespace()
            .filter_map(|text| text.parse().ok().map(Oid))
            .collect(),
        settings: Vec::new(),
    }
}
