"""Where the links of pages lead."""

import html.parser
import pathlib
import urllib.parse


class Anchors(html.parser.HTMLParser):
    """The links of a page and the places on it that links can lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                if value in self.places:
                    self.links.append(f"#two places are called {value}")
                self.places.add(value)


def broken_links(folder):
    """Every link between pages that leads to no file, or to no place in it."""
    folder = pathlib.Path(folder).resolve()
    pages = {path: Anchors(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https"):
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            place = urllib.parse.unquote(parts.fragment)
            if not target.is_file() or place and place not in pages[target].places:
                problems.append(f"{path.relative_to(folder)}: {link} leads nowhere")
    return problems
