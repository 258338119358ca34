//! PREPARE TRANSACTION, COMMIT PREPARED and ROLLBACK PREPARED.

use super::block::Block;
use super::session::Session;
use crate::error::{PgError, Result, sqlstate};

impl Session {
    /// PREPARE TRANSACTION: answers the tag, which is ROLLBACK where there was nothing that could be prepared.
    pub(super) async fn prepare_transaction(&mut self, gid: &str) -> Result<String> {
        match self.block {
            Block::Explicit => {}
            Block::Failed | Block::Idle | Block::Implicit => return self.rollback_block(false).map(str::to_owned),
        }
        let Some(txn) = self.txn.clone() else {
            return Err(PgError::internal("a block without a transaction"));
        };
        // Those of earlier transactions are held already, and stay.
        if self
            .portals
            .values()
            .any(|portal| portal.survives_commit() && !portal.survives_abort())
        {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "cannot PREPARE a transaction that has created a cursor WITH HOLD",
            ));
        }
        if let Err(error) = txn.prepare(gid, self.shared.user_oid).await {
            self.abort_transaction();
            return Err(error);
        }
        self.shared.settings.lock().commit();
        self.portals.retain(|_, portal| portal.survives_abort());
        self.ended();
        Ok("PREPARE TRANSACTION".to_owned())
    }

    /// COMMIT PREPARED (`commit`) or ROLLBACK PREPARED.
    pub(super) async fn finish_prepared(&mut self, gid: &str, commit: bool) -> Result<String> {
        let tag = if commit { "COMMIT PREPARED" } else { "ROLLBACK PREPARED" };
        self.forbid_block(tag)?;
        let who = (self.shared.user_oid, self.shared.superuser);
        let engine = self.shared.instance.engine.clone();
        engine.finish_prepared(&self.shared.link, gid, who, commit).await?;
        Ok(tag.to_owned())
    }
}
