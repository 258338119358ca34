//! Entries at fixed places, in pieces: a million locks never make one long copy while the shard is locked.

use crate::lock::table::{Entry, Slot};

const PIECE: usize = 64;
/// Pieces kept when the table is empty.
const KEPT_PIECES: usize = 4;
/// What an entry takes.
#[cfg(test)]
pub(crate) const CELL_BYTES: usize = std::mem::size_of::<Cell>();

enum Cell {
    Used(Entry),
    /// The next free cell.
    Free(Option<u32>),
}

#[derive(Default)]
pub(crate) struct Slots {
    pieces: Vec<Vec<Cell>>,
    free: Option<u32>,
}

impl Slots {
    pub fn get(&self, slot: Slot) -> &Entry {
        match &self.pieces[slot.0 as usize / PIECE][slot.0 as usize % PIECE] {
            Cell::Used(entry) => entry,
            Cell::Free(_) => panic!("lock slot {} is free", slot.0),
        }
    }

    pub fn get_mut(&mut self, slot: Slot) -> &mut Entry {
        match &mut self.pieces[slot.0 as usize / PIECE][slot.0 as usize % PIECE] {
            Cell::Used(entry) => entry,
            Cell::Free(_) => panic!("lock slot {} is free", slot.0),
        }
    }

    pub fn insert(&mut self, entry: Entry) -> Slot {
        if let Some(place) = self.free {
            let cell = &mut self.pieces[place as usize / PIECE][place as usize % PIECE];
            if let Cell::Free(next) = cell {
                self.free = *next;
            }
            *cell = Cell::Used(entry);
            return Slot(place);
        }
        if self.pieces.last().is_none_or(|piece| piece.len() == PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        let piece = self.pieces.len() - 1;
        let cells = &mut self.pieces[piece];
        cells.push(Cell::Used(entry));
        Slot(u32::try_from(piece * PIECE + cells.len() - 1).expect("limits::LOCKS_MAX is far below 2^32"))
    }

    pub fn remove(&mut self, slot: Slot) {
        self.pieces[slot.0 as usize / PIECE][slot.0 as usize % PIECE] = Cell::Free(self.free);
        self.free = Some(slot.0);
    }

    /// Gives memory back once no entry is left; whether there was enough to bother.
    pub fn shrink(&mut self) -> bool {
        if self.pieces.len() <= KEPT_PIECES {
            return false;
        }
        *self = Slots::default();
        true
    }
}
