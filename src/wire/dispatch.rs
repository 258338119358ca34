//! A frontend message becomes a call of the session, its outcome an answer.
//!
//! After an error inside the extended protocol every message up to Sync is passed over.

use pgwire::messages::PgWireFrontendMessage;
use pgwire::messages::data::{NoData, ParameterDescription};
use pgwire::messages::extendedquery::{
    Bind, BindComplete, CloseComplete, Describe, Execute, ParseComplete, PortalSuspended, TARGET_TYPE_BYTE_PORTAL,
    TARGET_TYPE_BYTE_STATEMENT,
};
use pgwire::messages::response::{ReadyForQuery, TransactionStatus};

use super::output::WireOutput;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::session::{BlockStatus, Completion, Format, Formats, Notification, Output, Session};

/// Whether the connection goes on.
pub(crate) enum Next {
    Continue,
    Close,
}

/// A session with its connection's sending side.
pub(crate) struct Dispatch {
    session: Session,
    output: WireOutput,
    /// An error of the extended protocol: skip to Sync.
    skipping: bool,
}

impl Dispatch {
    pub(crate) fn new(session: Session, output: WireOutput) -> Self {
        Dispatch {
            session,
            output,
            skipping: false,
        }
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn output(&mut self) -> &mut WireOutput {
        &mut self.output
    }

    pub(crate) async fn next_notification(&mut self) -> Notification {
        self.session.next_notification().await
    }

    /// Answers one message. Errors only when the connection cannot go on.
    pub(crate) async fn message(&mut self, message: PgWireFrontendMessage) -> Result<Next> {
        match message {
            PgWireFrontendMessage::Query(query) => self.simple(&query.query).await,
            PgWireFrontendMessage::Sync(_) => {
                self.skipping = false;
                let synced = self.session.sync().await;
                self.settle(synced)?;
                self.ready().await
            }
            PgWireFrontendMessage::Flush(_) if !self.skipping => {
                self.output.flush().await?;
                Ok(Next::Continue)
            }
            // Left over from a COPY that failed: PostgreSQL ignores them too.
            PgWireFrontendMessage::CopyData(_) | PgWireFrontendMessage::CopyDone(_) | PgWireFrontendMessage::CopyFail(_) => {
                Ok(Next::Continue)
            }
            extended if extended.is_extended_query() => {
                if !self.skipping {
                    let done = self.extended(extended).await;
                    self.skipping = done.is_err();
                    self.settle(done)?;
                    self.output.pressure().await?;
                }
                Ok(Next::Continue)
            }
            _ => {
                let error = PgError::new(sqlstate::PROTOCOL_VIOLATION, "invalid frontend message type");
                self.fail_connection(error).await?;
                Ok(Next::Close)
            }
        }
    }

    async fn simple(&mut self, sql: &str) -> Result<Next> {
        let done = self.session.simple_query(sql, &mut self.output).await;
        self.output.end_copy();
        self.settle(done)?;
        self.ready().await
    }

    async fn ready(&mut self) -> Result<Next> {
        self.send_notifications();
        let status = match self.session.status() {
            BlockStatus::Idle => TransactionStatus::Idle,
            BlockStatus::InBlock => TransactionStatus::Transaction,
            BlockStatus::Failed => TransactionStatus::Error,
        };
        self.output.message(&ReadyForQuery::new(status));
        self.output.flush().await?;
        Ok(Next::Continue)
    }

    /// Notifications that arrived while a statement ran go out before `ReadyForQuery`, outside a block only.
    fn send_notifications(&mut self) {
        if self.session.status() != BlockStatus::Idle {
            return;
        }
        while let Some(one) = self.session.take_notification() {
            self.output.message(&pgwire::messages::response::NotificationResponse::new(
                one.pid.0,
                one.channel.to_string(),
                one.payload.to_string(),
            ));
        }
    }

    /// Tells the client of an error; one that ends the session is handed on.
    fn settle(&mut self, done: Result<()>) -> Result<()> {
        self.session.drain_notices(&mut self.output);
        match done {
            Err(error) if error.is_fatal() => Err(error),
            Err(error) => {
                self.output.error(&error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Tells the client why the connection ends, as far as it still listens.
    pub(crate) async fn fail_connection(&mut self, error: PgError) -> Result<()> {
        let error = error.severity(crate::error::Severity::Fatal);
        // Give everything back first: whoever waits for this session should not wait for its client's socket.
        self.session.close().await;
        self.output.error(&error);
        self.output.flush().await?;
        Err(error)
    }

    /// The client said good-bye, or is gone.
    pub(crate) async fn end(mut self) {
        self.session.close().await;
    }

    async fn extended(&mut self, message: PgWireFrontendMessage) -> Result<()> {
        match message {
            PgWireFrontendMessage::Parse(parse) => {
                let types: Vec<Oid> = parse.type_oids.iter().map(|oid| Oid(*oid)).collect();
                self.session
                    .parse(parse.name.as_deref().unwrap_or_default(), &parse.query, &types)
                    .await?;
                self.output.message(&ParseComplete::new());
            }
            PgWireFrontendMessage::Bind(bind) => {
                self.bind(&bind)?;
                self.output.message(&BindComplete::new());
            }
            PgWireFrontendMessage::Describe(describe) => self.describe(&describe).await?,
            PgWireFrontendMessage::Execute(execute) => self.execute(&execute).await?,
            PgWireFrontendMessage::Close(close) => {
                let name = close.name.as_deref().unwrap_or_default();
                match close.target_type {
                    TARGET_TYPE_BYTE_STATEMENT => self.session.close_statement(name),
                    TARGET_TYPE_BYTE_PORTAL => self.session.close_portal(name),
                    other => return Err(bad_subtype("CLOSE", other)),
                }
                self.output.message(&CloseComplete::new());
            }
            _ => return Err(PgError::new(sqlstate::PROTOCOL_VIOLATION, "invalid frontend message type")),
        }
        Ok(())
    }

    fn bind(&mut self, bind: &Bind) -> Result<()> {
        let portal = bind.portal_name.as_deref().unwrap_or_default();
        let statement = bind.statement_name.as_deref().unwrap_or_default();
        let parameter_formats = formats(&bind.parameter_format_codes)?;
        let result_formats = formats(&bind.result_column_format_codes)?;
        self.session
            .bind(portal, statement, &parameter_formats, &bind.parameters, result_formats)
    }

    async fn describe(&mut self, describe: &Describe) -> Result<()> {
        let name = describe.name.as_deref().unwrap_or_default();
        let (columns, formats) = match describe.target_type {
            TARGET_TYPE_BYTE_STATEMENT => {
                let (parameters, columns) = self.session.describe_statement(name).await?;
                self.output
                    .message(&ParameterDescription::new(parameters.iter().map(|oid| oid.0).collect()));
                (columns, Formats::All(Format::Text))
            }
            TARGET_TYPE_BYTE_PORTAL => self.session.describe_portal(name)?,
            other => return Err(bad_subtype("DESCRIBE", other)),
        };
        match columns {
            Some(columns) => self.output.row_description(&columns, &formats),
            None => self.output.message(&NoData::new()),
        }
        Ok(())
    }

    async fn execute(&mut self, execute: &Execute) -> Result<()> {
        let portal = execute.name.as_deref().unwrap_or_default();
        let max_rows = usize::try_from(execute.max_rows).ok().filter(|rows| *rows > 0);
        let done = self.session.execute(portal, max_rows, &mut self.output).await;
        self.output.end_copy();
        if let Completion::Suspended = done? {
            self.output.message(&PortalSuspended::new());
        }
        Ok(())
    }
}

fn bad_subtype(message: &str, subtype: u8) -> PgError {
    PgError::new(
        sqlstate::PROTOCOL_VIOLATION,
        format!("invalid {message} message subtype {subtype}"),
    )
}

/// Format codes of Bind: none means text for all, one stands for all.
fn formats(codes: &[i16]) -> Result<Formats> {
    let one = |code: i16| match code {
        0 => Ok(Format::Text),
        1 => Ok(Format::Binary),
        other => Err(PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("unsupported format code: {other}"),
        )),
    };
    match codes {
        [] => Ok(Formats::All(Format::Text)),
        [code] => Ok(Formats::All(one(*code)?)),
        codes => Ok(Formats::Each(codes.iter().map(|code| one(*code)).collect::<Result<_>>()?)),
    }
}
