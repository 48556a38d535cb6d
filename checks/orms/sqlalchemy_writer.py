import json
import os
import sys

import psycopg
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    pass


class Product(Base):
    __tablename__ = "products"
    customer_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    model: Mapped[str | None]
    updated_at: Mapped[object] = mapped_column(
        sa.DateTime(timezone=True), server_default=sa.FetchedValue(), server_onupdate=sa.FetchedValue()
    )


class Versioned(Base):
    """SQLAlchemy compares updated_at in each UPDATE and DELETE, and reads the new one."""

    __tablename__ = "lab"
    customer_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    report_number: Mapped[str]
    title: Mapped[str]
    status: Mapped[str]
    updated_at: Mapped[object] = mapped_column(sa.DateTime(timezone=True), server_default=sa.FetchedValue())
    __mapper_args__ = {"version_id_col": updated_at, "version_id_generator": False}


database = json.loads(os.environ["DATABASE"])
engine = sa.create_engine(
    sa.URL.create(
        "postgresql+psycopg",
        username=database["USER"],
        password=database["PASSWORD"],
        host=database["HOST"],
        port=int(database["PORT"]),
        database=database["NAME"],
    )
)

with Session(engine, expire_on_commit=False) as session, Session(engine) as other:
    product = Product(customer_id="acme", id="sqlalchemy", name="one")
    session.add(product)
    session.commit()
    # Another program has the same idea in between.
    same = other.get(Product, ("acme", "sqlalchemy"))
    same.name = "two"
    other.commit()
    written_at = same.updated_at
    product.name = "two"
    session.commit()
    assert product.updated_at == written_at
    product.model = None
    sa.orm.attributes.flag_modified(product, "model")
    session.commit()
    assert product.updated_at == written_at

    statement = sa.update(Product).where(Product.id == "sqlalchemy").values(name="two")
    assert session.execute(statement).rowcount == 1
    rows = [{"customer_id": "acme", "id": id, "name": "two"} for id in ("other", "sqlalchemy", "third")]
    upsert = insert(Product).on_conflict_do_update(
        index_elements=["customer_id", "id"], set_={"name": sa.text("excluded.name")}
    )
    for _ in range(2):
        returned = session.scalars(upsert.returning(Product.id, sort_by_parameter_order=False), rows).all()
        assert sorted(returned) == ["other", "sqlalchemy", "third"], returned
    session.commit()
    session.execute(sa.delete(Product).where(Product.id.in_(["other", "third"])))
    session.delete(product)
    session.commit()

with Session(engine) as session:
    report = Versioned(customer_id="acme", id="sqlalchemy", report_number="1", title="one", status="draft")
    session.add(report)
    session.commit()
    written_at = report.updated_at
    sa.orm.attributes.flag_modified(report, "title")
    session.commit()
    assert report.updated_at == written_at
    report.title = "two"
    session.commit()
    assert report.updated_at > written_at
    session.delete(report)
    session.commit()

print(f"SQLAlchemy {sa.__version__}, Python {sys.version.split()[0]}, psycopg {psycopg.__version__}")
