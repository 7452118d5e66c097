"""Addresses of the database, one per role: migrations as the owner, the product as a role that isolation binds."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hq.errors import Refused

APP_SUFFIX = "_app"
READER_SUFFIX = "_reader"


@dataclass(frozen=True)
class Address:
    """The owner's connection and, derived from it, the product's.

    Every machine that knows the owner's address derives the same password for the product's role, so nothing more
    has to be shared. An address that already names the product's role is used as it is and cannot migrate.
    """

    url: str
    secret: str = ""
    """Stands in for the password where the server trusts the connection without one."""

    @property
    def owner_role(self) -> str:
        return str(self._parts().get("user") or "hq")

    @property
    def may_migrate(self) -> bool:
        return not self.owner_role.endswith(APP_SUFFIX)

    @property
    def app_role(self) -> str:
        return self.owner_role if not self.may_migrate else self.owner_role + APP_SUFFIX

    @property
    def app_password(self) -> str:
        key = str(self._parts().get("password") or self.secret)
        return _derived(key, b"hq product role")

    @property
    def app_url(self) -> str:
        if not self.may_migrate:
            return self.url
        return make_conninfo(self.url, user=self.app_role, password=self.app_password)

    @property
    def reader_role(self) -> str:
        """The role that runs the queries of `hq sql`: it may do nothing but look at views."""
        return self.owner_role.removesuffix(APP_SUFFIX) + READER_SUFFIX

    @property
    def reader_password(self) -> str:
        """Derived from the product's, so that an address that names the product's role finds it too."""
        key = self.app_password if self.may_migrate else str(self._parts().get("password") or self.secret)
        return _derived(key, b"hq reader role")

    @property
    def reader_url(self) -> str:
        return make_conninfo(self.url, user=self.reader_role, password=self.reader_password)

    def checked(self) -> Address:
        """Raises where nobody could connect with it, before anybody tries."""
        self._parts()
        return self

    def database(self, name: str) -> Address:
        return Address(make_conninfo(self.url, dbname=name), self.secret)

    def _parts(self) -> dict[str, object]:
        try:
            return dict(conninfo_to_dict(self.url))
        except Exception as error:
            # What Postgres says of another system's address repeats it, with the password in it.
            why = "" if "://" in str(error) else f" ({str(error).strip()})"
            raise Refused.invalid(
                f"HQ_DATABASE_URL is no Postgres address{why}; it looks like postgresql://user:password@host/database"
            ) from None


def _derived(key: str, purpose: bytes) -> str:
    return hmac.new(key.encode(), purpose, hashlib.sha256).hexdigest()
