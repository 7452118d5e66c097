"""Archives of a workspace: whatever its files are called, unpacked they stay where they are put."""

from __future__ import annotations

import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def exported(hq, tree: Path):
    async def export(form: str) -> dict[str, Any]:
        for verb in ("save", "merge"):
            await hq.do(f"workspace.{verb}", ref="app1", session="one")
        return await hq.do("workspace.export", ref="app1", form=form)

    return export


def hostile(tree: Path, link: str, directory: str) -> None:
    """What lies in the directory would be written through the link, were both called the same."""
    (tree / link).symlink_to(".")
    (tree / directory).mkdir()
    (tree / directory / "l").symlink_to("..")
    (tree / "l").mkdir()
    (tree / "l" / "evil.txt").write_text("escaped")


@pytest.mark.parametrize(("link", "directory"), [("a*", "a:"), ("a:", "a*"), ("A", "a"), ("b", "B")])
async def test_no_link_of_an_archive_lies_on_the_way_to_what_is_in_it(tree, exported, link, directory):
    hostile(tree, link, directory)

    with tarfile.open((await exported("tar.gz"))["path"]) as archive:
        links = {each.name.casefold() for each in archive if each.issym()}
        names = [each.name for each in archive]
    with zipfile.ZipFile((await exported("zip"))["path"]) as archive:
        zipped = [each.filename for each in archive.infolist()]
        symbolic = {each.filename.casefold() for each in archive.infolist() if stat.S_ISLNK(each.external_attr >> 16)}

    for found, through in ((names, links), (zipped, symbolic)):
        assert len(set(found)) == len(found)
        assert not [name for name in found for each in through if name.casefold().startswith(f"{each}/")]


async def test_an_archive_unpacked_without_care_writes_nothing_beside_it(tree, exported, tmp_path):
    hostile(tree, "a*", "a:")
    made = await exported("tar.gz")
    (there := tmp_path / "there").mkdir()

    with tarfile.open(made["path"]) as archive:
        archive.extractall(there, filter="fully_trusted")  # noqa: S202 (that is what is tried)

    assert [each.name for each in there.iterdir()] == ["app1"]
    assert (there / "app1/l/evil.txt").read_text() == "escaped"


async def test_names_that_become_the_same_stay_apart_with_what_is_in_them(tree, exported):
    for name in ("d:", "d*"):
        (tree / name).mkdir()
        (tree / name / "x").write_text(name)

    with tarfile.open((await exported("tar.gz"))["path"]) as archive:
        files = {each.name: archive.extractfile(each).read() for each in archive if each.isfile()}  # type: ignore[union-attr]

    assert files == {"app1/d_/x": b"d*", "app1/d__/x": b"d:"}
