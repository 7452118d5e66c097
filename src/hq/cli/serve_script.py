"""`hq mind serve-script`: not a verb, since it changes nothing and never ends; so it is a command of its own."""

from __future__ import annotations

import click

from hq.cli.server_commands import plainly


@click.command("serve-script", short_help="Serve the scripted mind over HTTP, as if it were a provider.")
@click.option("--port", default=8399, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@plainly
def serve_script(port: int) -> None:
    """Serve the scripted mind on this machine, in the words of Anthropic, OpenAI and Google.

    The Claude CLI and every SDK can then be used without a key: they need only the address it prints.

    \b
    Example:
      hq mind serve-script --port 8399
      ANTHROPIC_BASE_URL=http://127.0.0.1:8399 ANTHROPIC_API_KEY=none claude -p "what time is it?"
    """
    from hq.minds.provider_apis.server import serve

    serve(port, click.echo)
