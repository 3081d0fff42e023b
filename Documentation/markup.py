"""HTML of what DocC's archive has in JSON: paragraphs, lists, tables, declarations."""

import html


def escape(text):
    return html.escape(text, quote=True)


def element(name, content, css=None, identifier=None):
    attributes = f' class="{css}"' if css else ""
    if identifier:
        attributes += f' id="{escape(identifier)}"'
    return f"<{name}{attributes}>{content}</{name}>"


class Markup:
    """What the parts of a node are on a page; `member` is its place there when it is a part of the page."""

    def __init__(self, site, node, page, member):
        self.site, self.node, self.page, self.member = site, node, page, member

    # --- Sections.

    def section(self, section):
        return getattr(self, f"section_{section['kind']}")(section)

    def section_content(self, section):
        return self.blocks(section["content"])

    def section_declarations(self, section):
        # Platforms have the same declaration here.
        tokens = section["declarations"][0]["tokens"]
        return element("pre", element("code", "".join(map(self.token, tokens))))

    def section_parameters(self, section):
        terms = "".join(
            element("dt", element("code", escape(item["name"])))
            + element("dd", self.blocks(item["content"])) for item in section["parameters"]
        )
        return self.heading("Parameters", 4) + element("dl", terms)

    def section_mentions(self, section):
        return ""

    def section_attributes(self, section):
        return ""

    def relationships(self, section):
        names = ", ".join(map(self.topic, section["identifiers"])).replace("Swift.", "")
        return element("p", f"{escape(section['title'])}: {names}", css="relations")

    def topics(self, section):
        items = "".join(
            element("li", f"{self.topic(identifier)} {self.summary(identifier)}")
            for identifier in section["identifiers"]
        )
        title = section.get("title") or "More"
        return self.heading(title, 2) + element("ul", items, css="topics")

    def topic(self, identifier):
        reference = self.node["references"][identifier]
        title = escape(reference["title"])
        if reference.get("kind") == "symbol":
            title = element("code", title)
        return self.anchored(reference, title)

    def summary(self, identifier):
        return self.inline(self.node["references"][identifier].get("abstract", []))

    def anchored(self, reference, title):
        """A link where there is a page to go to."""
        url = reference.get("url")
        way = url and self.site.link(url, self.page)
        return f'<a href="{escape(way)}">{title}</a>' if way else title

    def token(self, token):
        text = escape(token["text"])
        reference = self.node["references"].get(token.get("identifier"))
        return self.anchored(reference, text) if reference else text

    # --- Blocks.

    def blocks(self, blocks):
        return "\n".join(getattr(self, f"block_{block['type']}")(block) for block in blocks)

    def heading(self, text, level, anchor=None):
        return element(f"h{level}", escape(text), identifier=anchor)

    def block_heading(self, block):
        if not self.member:
            return self.heading(block["text"], block["level"], block["anchor"])
        # Every member has such a heading.
        if block["text"] == "Discussion":
            return ""
        return self.heading(block["text"], block["level"] + 1, f"{self.member}-{block['anchor']}")

    def block_paragraph(self, block):
        return element("p", self.inline(block["inlineContent"]))

    def block_codeListing(self, block):
        return element("pre", element("code", escape("\n".join(block["code"]))))

    def block_unorderedList(self, block):
        return element("ul", self.items(block))

    def block_orderedList(self, block):
        return element("ol", self.items(block))

    def items(self, block):
        return "".join(element("li", self.tight(item["content"])) for item in block["items"])

    def block_aside(self, block):
        name = element("strong", escape(block.get("name", block["style"])))
        return element("aside", name + self.blocks(block["content"]))

    def block_table(self, block):
        alignments = block.get("alignments") or ["unset"] * len(block["rows"][0])
        rows = []
        for number, row in enumerate(block["rows"]):
            name = "th" if number == 0 and block["header"] in ("row", "both") else "td"
            cells = "".join(
                element(name, self.tight(cell), css="right" if side == "right" else None)
                for cell, side in zip(row, alignments)
            )
            rows.append(element("tr", cells))
        return element("div", element("table", "\n".join(rows)), css="wide")

    def block_thematicBreak(self, block):
        return "<hr>"

    def tight(self, blocks):
        """Blocks without the space around a single paragraph."""
        if len(blocks) == 1 and blocks[0]["type"] == "paragraph":
            return self.inline(blocks[0]["inlineContent"])
        return self.blocks(blocks)

    # --- Parts of a line.

    def inline(self, parts):
        return "".join(getattr(self, f"inline_{part['type']}")(part) for part in parts)

    def inline_text(self, part):
        return escape(part["text"])

    def inline_codeVoice(self, part):
        return element("code", escape(part["code"]))

    def inline_emphasis(self, part):
        return element("em", self.inline(part["inlineContent"]))

    def inline_strong(self, part):
        return element("strong", self.inline(part["inlineContent"]))

    def inline_link(self, part):
        return f'<a href="{escape(part["destination"])}">{escape(part["title"])}</a>'

    def inline_image(self, part):
        way, text = self.site.asset(part["identifier"], self.node, self.page)
        return f'<img src="{escape(way)}" alt="{escape(text)}">'

    def inline_reference(self, part):
        reference = self.node["references"][part["identifier"]]
        if part.get("overridingTitleInlineContent"):
            title = self.inline(part["overridingTitleInlineContent"])
        else:
            title = escape(reference["title"])
            if reference.get("kind") == "symbol":
                title = element("code", title)
        return self.anchored(reference, title) if part["isActive"] else title
