//! From one catalog to the next.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::catalog::{Catalog, ObjectComments, Shared, TypeRef, array_type_name, class, next_version};
use super::objects::{Change, Comment, ConstraintKind, Object, ObjectKind, Table};
use crate::ids::Oid;

impl Catalog {
    /// The catalog after the changes, in order. Copies only the maps that they touch.
    pub fn apply(&self, changes: &[Change]) -> Catalog {
        let mut next = self.clone();
        next.version = next_version();
        for change in changes {
            match change {
                Change::Put(object) => next.put(object),
                Change::Delete(kind, oid) => next.delete(*kind, *oid),
            }
        }
        next
    }

    fn put(&mut self, object: &Object) {
        match object {
            Object::Database(_) | Object::Role(_) => Arc::make_mut(&mut self.shared).put(object),
            Object::Comment(comment) if is_shared_class(comment.class) => Arc::make_mut(&mut self.shared).put(object),
            Object::Comment(comment) => put_comment(Arc::make_mut(&mut self.comments), comment),
            Object::Schema(schema) => {
                let names = Arc::make_mut(&mut self.schema_names);
                if let Some(before) = Arc::make_mut(&mut self.schemas).insert(schema.oid, Arc::clone(schema)) {
                    names.remove(&before.name);
                }
                names.insert(schema.name.clone(), schema.oid);
            }
            Object::Table(table) => {
                self.forget_table(table.oid);
                self.name_relation(table.schema, &table.name, table.oid);
                self.name_row_types(table.schema, &table.name, table.oid, table.row_type, table.array_type);
                self.link_foreign_keys(table);
                Arc::make_mut(&mut self.tables).insert(table.oid, Arc::clone(table));
            }
            Object::Index(index) => {
                self.forget_index(index.oid);
                self.name_relation(index.schema, &index.name, index.oid);
                Arc::make_mut(&mut self.indexes).insert(index.oid, Arc::clone(index));
            }
            Object::Sequence(sequence) => {
                self.forget_sequence(sequence.oid);
                self.name_relation(sequence.schema, &sequence.name, sequence.oid);
                Arc::make_mut(&mut self.sequences).insert(sequence.oid, Arc::clone(sequence));
            }
            Object::View(view) => {
                self.forget_view(view.oid);
                self.name_relation(view.schema, &view.name, view.oid);
                self.name_row_types(view.schema, &view.name, view.oid, view.row_type, Oid::INVALID);
                Arc::make_mut(&mut self.views).insert(view.oid, Arc::clone(view));
            }
            Object::Type(ty) => {
                self.forget_type(ty.oid);
                let names = Arc::make_mut(&mut self.type_names);
                names.insert((ty.schema, ty.name.clone()), ty.oid);
                let refs = Arc::make_mut(&mut self.type_refs);
                refs.insert(ty.oid, TypeRef::User(ty.oid));
                if ty.array_type.is_valid() {
                    names.insert((ty.schema, array_type_name(&ty.name)), ty.array_type);
                    refs.insert(ty.array_type, TypeRef::UserArray(ty.oid));
                }
                Arc::make_mut(&mut self.types).insert(ty.oid, Arc::clone(ty));
            }
        }
    }

    fn delete(&mut self, kind: ObjectKind, oid: Oid) {
        match kind {
            ObjectKind::Database | ObjectKind::Role => Arc::make_mut(&mut self.shared).delete(kind, oid),
            ObjectKind::Schema => {
                if let Some(before) = Arc::make_mut(&mut self.schemas).remove(&oid) {
                    Arc::make_mut(&mut self.schema_names).remove(&before.name);
                }
            }
            ObjectKind::Table => self.forget_table(oid),
            ObjectKind::Index => self.forget_index(oid),
            ObjectKind::Sequence => self.forget_sequence(oid),
            ObjectKind::View => self.forget_view(oid),
            ObjectKind::Type => self.forget_type(oid),
            ObjectKind::Comment => {}
        }
        if self.comments.contains_key(&oid) {
            Arc::make_mut(&mut self.comments).remove(&oid);
        }
    }

    fn name_relation(&mut self, schema: Oid, name: &SmolStr, oid: Oid) {
        Arc::make_mut(&mut self.relation_names).insert((schema, name.clone()), oid);
    }

    /// Removes a name if it still stands for that OID (a rename may have given it to another in the meantime).
    fn unname_relation(&mut self, schema: Oid, name: &SmolStr, oid: Oid) {
        let key = (schema, name.clone());
        if self.relation_names.get(&key) == Some(&oid) {
            Arc::make_mut(&mut self.relation_names).remove(&key);
        }
    }

    fn name_row_types(&mut self, schema: Oid, name: &SmolStr, relation: Oid, row: Oid, array: Oid) {
        let names = Arc::make_mut(&mut self.type_names);
        let refs = Arc::make_mut(&mut self.type_refs);
        if row.is_valid() {
            names.insert((schema, name.clone()), row);
            refs.insert(row, TypeRef::Row(relation));
        }
        if array.is_valid() {
            names.insert((schema, array_type_name(name)), array);
            refs.insert(array, TypeRef::RowArray(relation));
        }
    }

    fn unname_types(&mut self, schema: Oid, name: &SmolStr, types: [Oid; 2]) {
        let names = Arc::make_mut(&mut self.type_names);
        for (name, ty) in [(name.clone(), types[0]), (array_type_name(name), types[1])] {
            if names.get(&(schema, name.clone())) == Some(&ty) {
                names.remove(&(schema, name));
            }
        }
        let refs = Arc::make_mut(&mut self.type_refs);
        for ty in types {
            refs.remove(&ty);
        }
    }

    fn forget_table(&mut self, oid: Oid) {
        if !self.tables.contains_key(&oid) {
            return;
        }
        let Some(before) = Arc::make_mut(&mut self.tables).remove(&oid) else {
            return;
        };
        self.unname_relation(before.schema, &before.name, oid);
        self.unname_types(before.schema, &before.name, [before.row_type, before.array_type]);
        if foreign_keys(&before).next().is_some() {
            let map = Arc::make_mut(&mut self.foreign_keys);
            for (parent, _) in foreign_keys(&before) {
                if let Some(list) = map.get_mut(&parent) {
                    list.retain(|(child, _)| *child != oid);
                    if list.is_empty() {
                        map.remove(&parent);
                    }
                }
            }
        }
    }

    fn link_foreign_keys(&mut self, table: &Table) {
        for (parent, constraint) in foreign_keys(table) {
            Arc::make_mut(&mut self.foreign_keys)
                .entry(parent)
                .or_default()
                .push((table.oid, constraint));
        }
    }

    fn forget_index(&mut self, oid: Oid) {
        if self.indexes.contains_key(&oid)
            && let Some(before) = Arc::make_mut(&mut self.indexes).remove(&oid)
        {
            self.unname_relation(before.schema, &before.name, oid);
        }
    }

    fn forget_sequence(&mut self, oid: Oid) {
        if self.sequences.contains_key(&oid)
            && let Some(before) = Arc::make_mut(&mut self.sequences).remove(&oid)
        {
            self.unname_relation(before.schema, &before.name, oid);
        }
    }

    fn forget_view(&mut self, oid: Oid) {
        if self.views.contains_key(&oid)
            && let Some(before) = Arc::make_mut(&mut self.views).remove(&oid)
        {
            self.unname_relation(before.schema, &before.name, oid);
            self.unname_types(before.schema, &before.name, [before.row_type, Oid::INVALID]);
        }
    }

    fn forget_type(&mut self, oid: Oid) {
        if self.types.contains_key(&oid)
            && let Some(before) = Arc::make_mut(&mut self.types).remove(&oid)
        {
            self.unname_types(before.schema, &before.name, [before.oid, before.array_type]);
        }
    }
}

fn foreign_keys(table: &Table) -> impl Iterator<Item = (Oid, Oid)> {
    table.constraints.iter().filter_map(|constraint| match &constraint.kind {
        ConstraintKind::ForeignKey(key) => Some((key.parent, constraint.oid)),
        _ => None,
    })
}

/// Databases and roles (and tablespaces) are shared, so comments on them are.
pub(super) fn is_shared_class(of: Oid) -> bool {
    of == class::DATABASE || of == class::AUTHID || of == Oid(1213)
}

/// Whether the change is to an object that all databases share.
pub(super) fn is_shared(change: &Change) -> bool {
    match change {
        Change::Put(Object::Comment(comment)) => is_shared_class(comment.class),
        Change::Put(object) => matches!(object.kind(), ObjectKind::Database | ObjectKind::Role),
        Change::Delete(kind, _) => matches!(kind, ObjectKind::Database | ObjectKind::Role),
    }
}

fn put_comment(comments: &mut FxHashMap<Oid, ObjectComments>, comment: &Arc<Comment>) {
    let list = comments.entry(comment.object).or_default();
    list.retain(|(of_class, of_sub, _)| (*of_class, *of_sub) != (comment.class, comment.sub));
    if !comment.text.is_empty() {
        list.push((comment.class, comment.sub, Arc::clone(comment)));
    }
    if list.is_empty() {
        comments.remove(&comment.object);
    }
}

impl Shared {
    pub(super) fn put(&mut self, object: &Object) {
        match object {
            Object::Database(database) => {
                if let Some(before) = self.databases.insert(database.oid, Arc::clone(database)) {
                    self.database_names.remove(&before.name);
                }
                self.database_names.insert(database.name.clone(), database.oid);
            }
            Object::Role(role) => {
                if let Some(before) = self.roles.insert(role.oid, Arc::clone(role)) {
                    self.role_names.remove(&before.name);
                }
                self.role_names.insert(role.name.clone(), role.oid);
            }
            Object::Comment(comment) => put_comment(&mut self.comments, comment),
            Object::Schema(_) | Object::Table(_) | Object::Index(_) | Object::Sequence(_) | Object::View(_) | Object::Type(_) => {
            }
        }
    }

    fn delete(&mut self, kind: ObjectKind, oid: Oid) {
        if kind == ObjectKind::Database {
            if let Some(before) = self.databases.remove(&oid) {
                self.database_names.remove(&before.name);
            }
        } else if let Some(before) = self.roles.remove(&oid) {
            self.role_names.remove(&before.name);
        }
        self.comments.remove(&oid);
    }
}
