//! What a client says when it connects.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use crate::error::{PgError, Result, sqlstate};

/// The startup packet, read.
#[derive(Clone, Debug)]
pub struct StartOptions {
    pub user: String,
    pub database: String,
    /// Settings, in the order in which they apply: `options` first.
    pub settings: Vec<(String, String)>,
    pub client: SocketAddr,
    pub server: SocketAddr,
}

impl StartOptions {
    /// # Errors
    /// 28000 without a user, 0A000 for replication connections, 42601 for malformed `options`.
    pub fn from_parameters(parameters: BTreeMap<String, String>, client: SocketAddr, server: SocketAddr) -> Result<Self> {
        let user = parameters
            .get("user")
            .filter(|user| !user.is_empty())
            .cloned()
            .ok_or_else(|| {
                PgError::new(
                    sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                    "no PostgreSQL user name specified in startup packet",
                )
            })?;
        let database = parameters
            .get("database")
            .filter(|name| !name.is_empty())
            .cloned()
            .unwrap_or_else(|| user.clone());
        let mut settings = Vec::new();
        for (name, value) in parameters {
            match name.as_str() {
                "user" | "database" => {}
                "options" => {
                    let mut given = parse_options(&value)?;
                    given.append(&mut settings);
                    settings = given;
                }
                "replication" if crate::config::parse_bool(&value) == Some(false) => {}
                "replication" => return Err(PgError::unsupported("a replication connection")),
                _ => settings.push((name, value)),
            }
        }
        Ok(StartOptions {
            user,
            database,
            settings,
            client,
            server,
        })
    }
}

/// `-c name=value`, `-cname=value` and `--name=value`, with backslash escapes for blanks.
fn parse_options(text: &str) -> Result<Vec<(String, String)>> {
    let mut settings = Vec::new();
    let mut words = split_words(text).into_iter();
    while let Some(word) = words.next() {
        let pair = if word == "-c" {
            words.next().unwrap_or_default()
        } else if let Some(pair) = word.strip_prefix("-c").or_else(|| word.strip_prefix("--")) {
            pair.to_owned()
        } else {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("invalid command-line argument for server process: {word}"),
            ));
        };
        let Some((name, value)) = pair.split_once('=') else {
            return Err(PgError::new(sqlstate::SYNTAX_ERROR, format!("-c {pair} requires a value")));
        };
        settings.push((name.replace('-', "_"), value.to_owned()));
    }
    Ok(settings)
}

fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut inside = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                word.extend(chars.next());
                inside = true;
            }
            c if c.is_whitespace() => {
                if inside {
                    words.push(std::mem::take(&mut word));
                }
                inside = false;
            }
            c => {
                word.push(c);
                inside = true;
            }
        }
    }
    if inside {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_take_all_three_spellings() {
        let read = parse_options(r"-c lock_timeout=5s -cwork_mem=1MB --search-path=a\ b").expect("well formed");
        let pairs: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("lock_timeout", "5s"), ("work_mem", "1MB"), ("search_path", "a b")]);
        assert!(parse_options("-x").is_err());
    }
}
