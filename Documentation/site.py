"""Makes plain pages of a DocC archive, which open from a disk without a server and without scripts.

usage: site.py ARCHIVE FOLDER

FOLDER is made anew. A type's members stand on its page. Every link that leads nowhere is an error.
"""

import json
import os
import pathlib
import re
import shutil
import sys

from markup import Markup, element, escape
from links import broken_links

HERE = pathlib.Path(__file__).parent
# What has a page of its own; everything else is a part of the page above it.
PAGES = {"module", "struct", "class", "enum", "protocol"}


class Site:
    """The pages of an archive."""

    def __init__(self, archive):
        self.archive = pathlib.Path(archive)
        self.nodes = {}
        for path in sorted((self.archive / "data/documentation").rglob("*.json")):
            node = json.loads(path.read_text())
            self.nodes["/" + path.relative_to(self.archive / "data").with_suffix("").as_posix()] = node
        self.home = min(self.nodes, key=lambda url: (url != "/documentation/manual", url))

    def has_page(self, url):
        node = self.nodes[url]
        if node["kind"] == "article":
            return True
        return node["metadata"].get("symbolKind") in PAGES or url.count("/") == 3

    def page_of(self, url):
        """The page that something stands on: its own, or the nearest one above it."""
        while not self.has_page(url):
            url = url.rpartition("/")[0]
            while url not in self.nodes:
                url = url.rpartition("/")[0]
        return url

    def file(self, page):
        """The file of a page, from the folder of all."""
        if page == self.home:
            return "index.html"
        return re.sub(r"[^\w/.-]+", "-", page.removeprefix("/documentation/")) + ".html"

    def link(self, url, page):
        """The way from a page to something that has a URL in the archive."""
        path, _, fragment = url.partition("#")
        path = path.lower()
        if path not in self.nodes:
            return None
        target = self.page_of(path)
        if target != path:
            fragment = self.fragment(path, target)
        way = os.path.relpath(self.file(target), os.path.dirname(self.file(page)) or ".")
        return way + (f"#{fragment}" if fragment else "")

    def fragment(self, url, page):
        return re.sub(r"[^\w.-]+", "-", url.removeprefix(page).strip("/"))

    def asset(self, identifier, node, page):
        """The way from a page to a picture, and what it shows."""
        picture = node["references"][identifier]
        path = "images/" + picture["variants"][0]["url"].removeprefix("/images/")
        way = os.path.relpath(path, os.path.dirname(self.file(page)) or ".")
        return way, picture.get("alt", "")

    def write(self, folder):
        folder = pathlib.Path(folder)
        shutil.rmtree(folder, ignore_errors=True)
        files = {}
        for url in filter(self.has_page, self.nodes):
            file = self.file(url)
            if file in files:
                raise SystemExit(f"{url} and {files[file]} have the same file {file}")
            files[file] = url
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(Page(self, url).html())
        if (self.archive / "images").is_dir():
            shutil.copytree(self.archive / "images", folder / "images", dirs_exist_ok=True)
        shutil.copy(HERE / "style.css", folder)
        return len(files)


class Page:
    """A page: an article, or a symbol with its members."""

    def __init__(self, site, url):
        self.site, self.url = site, url

    def html(self):
        title = self.title(self.url)
        style = os.path.relpath("style.css", os.path.dirname(self.site.file(self.url)) or ".")
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{escape(title)}</title>" + f'<link rel="stylesheet" href="{style}">'
        )
        body = element("nav", self.trail()) + element("main", self.main())
        return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'

    def title(self, url):
        return self.site.nodes[url]["metadata"]["title"]

    def trail(self):
        """The pages above this one."""
        above, url = [], self.url
        while url.count("/") > 2:
            url = url.rpartition("/")[0]
            if url in self.site.nodes and self.site.has_page(url):
                above.insert(0, url)
        if self.site.home not in above:
            above.insert(0, self.site.home)
        return " / ".join(
            f'<a href="{self.site.link(url, self.url)}">{escape(self.title(url))}</a>' for url in above
        )

    def main(self):
        node = self.site.nodes[self.url]
        kind = node["metadata"].get("roleHeading", "")
        parts = [element("h1", escape(self.title(self.url)))]
        if kind and self.url != self.site.home:
            parts.insert(0, element("p", escape(kind), css="kind"))
        parts += self.content(node)
        if node["kind"] == "symbol" and node["metadata"].get("symbolKind") != "module":
            parts += map(self.member, self.members())
        return "\n".join(parts)

    def content(self, node, member=None):
        """What a node says, then where it leads."""
        markup = Markup(self.site, node, self.url, member)
        parts = []
        if node.get("abstract"):
            parts.append(element("p", markup.inline(node["abstract"]), css="abstract"))
        for section in node.get("primaryContentSections", []):
            parts.append(markup.section(section))
        for section in node.get("relationshipsSections", []):
            parts.append(markup.relationships(section))
        leads = [] if member else node.get("topicSections", [])
        parts += [markup.topics(section) for section in leads]
        return parts

    def members(self):
        """The members of this page's symbol, those of its extensions included."""
        return [
            url for url in self.site.nodes
            if url != self.url and not self.site.has_page(url)
            and self.site.page_of(url) == self.url
        ]

    def member(self, url):
        place = self.site.fragment(url, self.url)
        heading = element("h3", element("code", escape(self.title(url))))
        text = "".join(self.content(self.site.nodes[url], place))
        return element("section", heading + text, identifier=place)


def main(archive, folder):
    site = Site(archive)
    count = site.write(folder)
    problems = broken_links(folder)
    if problems:
        raise SystemExit("\n".join(problems))
    size = sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())
    print(f"{folder}: {count} pages, {size:,} bytes; every link leads somewhere")


if __name__ == "__main__":
    main(*sys.argv[1:])
