"""The directory of a project: the workspace in which the project's own agent works."""

from __future__ import annotations

from hq.graph.slugs import slugify


def project_directory(project: str) -> str:
    """The slug of the workspace, by that of the project."""
    return slugify(f"project {project}", 79)
