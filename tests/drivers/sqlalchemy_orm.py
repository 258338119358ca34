"""SQLAlchemy: tables made and reflected, relationships, with_for_update, versions checked at UPDATE."""
import sys

from sqlalchemy import CheckConstraint, ForeignKey, create_engine, func, inspect, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from sqlalchemy.orm.exc import StaleDataError

engine = create_engine(sys.argv[1].replace("postgresql://", "postgresql+psycopg://"))


class Base(DeclarativeBase):
    pass


class Account(Base):
    __tablename__ = "accounts_orm"
    __table_args__ = (CheckConstraint("balance >= 0", name="no_debt"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(unique=True)
    balance: Mapped[int]
    version: Mapped[int] = mapped_column(nullable=False)
    entries: Mapped[list["Entry"]] = relationship(back_populates="account", cascade="all, delete-orphan")
    __mapper_args__ = {"version_id_col": version}


class Entry(Base):
    __tablename__ = "entries_orm"
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts_orm.id"))
    amount: Mapped[int]
    account: Mapped[Account] = relationship(back_populates="entries")


Base.metadata.create_all(engine)
inspector = inspect(engine)
assert [column["name"] for column in inspector.get_columns("accounts_orm")] == ["id", "owner", "balance", "version"]
assert inspector.get_foreign_keys("entries_orm")[0]["referred_table"] == "accounts_orm"
assert inspector.get_unique_constraints("accounts_orm")[0]["column_names"] == ["owner"]
assert inspector.get_check_constraints("accounts_orm")[0]["name"] == "no_debt"

with Session(engine) as session:
    session.add_all(Account(owner=name, balance=100, entries=[Entry(amount=1), Entry(amount=2)]) for name in ("a", "b"))
    session.commit()
    totals = session.execute(
        select(Account.owner, func.sum(Entry.amount)).join(Account.entries).group_by(Account.owner).order_by(Account.owner)
    ).all()
    assert totals == [("a", 3), ("b", 3)], totals

with Session(engine) as session:
    account = session.scalars(select(Account).where(Account.owner == "a").with_for_update()).one()
    account.balance -= 200
    try:
        session.commit()
        raise AssertionError("the account was overdrawn")
    except IntegrityError as error:
        assert error.orig.diag.constraint_name == "no_debt"

with Session(engine) as first, Session(engine) as second:
    ours, theirs = (one.scalars(select(Account).where(Account.owner == "b")).one() for one in (first, second))
    ours.balance, theirs.balance = 1, 2
    first.commit()
    try:
        second.commit()
        raise AssertionError("both updates of one version won")
    except StaleDataError:
        pass

Base.metadata.drop_all(engine)
print("ok")
