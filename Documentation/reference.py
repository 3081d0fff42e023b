"""Writes the pages of the documentation that other files are the source of.

usage: reference.py FOLDER

FOLDER, which is made anew, gets articles for DocC: the format and its operators of Schemas/*.md, Python's
API of the docstrings, and the header for C.
"""

import ast
import pathlib
import re
import shutil
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = ROOT / "Sources/CLibraries/CWeighbridge/include/weighbridge.h"
PACKAGE = ROOT / "Python/src/weighbridge"


def slug(heading):
    """The anchor that GitHub has for a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def anchor(heading):
    """The anchor that DocC has for a heading."""
    return re.sub(r"\s+", "-", re.sub(r"[`'\"]", "", heading.strip()))


def schema(path):
    """A page of Schemas, with its links and headings as DocC wants them."""
    lines = path.read_text().splitlines()
    headings = [line.lstrip("#").strip() for line in prose(lines) if line.startswith("#")]
    anchors = {slug(heading): anchor(heading) for heading in headings}
    has_parts = sum(line.startswith("# ") for line in prose(lines)) > 1

    def renewed(line):
        if has_parts and line.startswith("#"):
            line = f"#{line}"
        # DocC leaves elements of HTML out.
        line = re.sub(r" ?<br>", "; ", line).replace(".; ", ". ")
        return re.sub(r"\]\(#([^)]+)\)", lambda found: f"](<doc:#{anchors[found[1]]}>)", line)

    texts = set(prose(lines))
    body = [renewed(line) if line in texts else line for line in lines[1:]]
    return "\n".join([lines[0], *body])


def prose(lines):
    """The lines outside of code."""
    is_code = False
    for line in lines:
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield line


# --- Python.


def python_api():
    """The classes and functions that the package names as its own, in the order of `__all__`."""
    modules = {path.stem: ast.parse(path.read_text()) for path in sorted(PACKAGE.glob("*.py"))}
    package = modules["__init__"]
    (names,) = [
        ast.literal_eval(node.value) for node in package.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    ]
    defined = {
        node.name: node for module in modules.values() for node in module.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names
    }
    functions = [name for name in names if isinstance(defined[name], ast.FunctionDef)]
    classes = [name for name in names if name not in functions]
    parts = [
        "# The Python package",
        "Every function, class and exception of `weighbridge`, from the docstrings.",
        "## Overview",
        "<doc:/documentation/Weighbridge/Python> shows how they are used. "
        "The examples are run by `make test-python`.",
        documented(package),
        "## Functions", *[function(defined[name], 3) for name in functions],
        "## Classes", *[python_class(defined[name]) for name in classes],
    ]
    return "\n\n".join(parts)


def python_class(node):
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    declared = f"class {node.name}({bases})" if bases else f"class {node.name}"
    shown = [f"    {field}" for field in fields(node)]
    parts = [f"### {node.name}", code("python", "\n".join([declared + ":" * bool(shown), *shown]))]
    parts.append(documented(node))
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            parts.append(function(member, 4, node.name))
    return "\n\n".join(parts)


def fields(node):
    """The attributes that a class declares, in its body or when it is made."""
    made = [
        line for member in node.body if getattr(member, "name", "") == "__init__" for line in member.body
    ]
    for line in [*node.body, *made]:
        if isinstance(line, ast.AnnAssign):
            name = ast.unparse(line.target).removeprefix("self.")
            if not name.startswith("_"):
                default = f" = {ast.unparse(line.value)}" if line in node.body and line.value else ""
                yield f"{name}: {annotation(line.annotation)}{default}"


def function(node, level, owner=None):
    """A function with its signature and what is said of it."""
    name = f"{owner}.{node.name}" if owner else node.name
    if any(ast.unparse(decorator) == "property" for decorator in node.decorator_list):
        signature = f"{node.name}: {annotation(node.returns)}"
    else:
        signature = f"def {node.name}({parameters(node.args)}) -> {annotation(node.returns)}"
    return "\n\n".join([f"{'#' * level} {name}", code("python", signature), documented(node)])


def parameters(arguments):
    """The parameters, one on each line where they would be too long for one."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    words = [
        parameter(argument, default) for argument, default in zip(positional, defaults)
        if argument.arg not in ("self", "cls")
    ]
    if arguments.vararg:
        words.append("*" + parameter(arguments.vararg, None))
    elif arguments.kwonlyargs:
        words.append("*")
    words += map(parameter, arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        words.append("**" + parameter(arguments.kwarg, None))
    text = ", ".join(words)
    return text if len(text) < 70 else "\n    " + ",\n    ".join(words) + "\n"


def parameter(argument, default):
    text = f"{argument.arg}: {annotation(argument.annotation)}" if argument.annotation else argument.arg
    return text if default is None else f"{text} = {ast.unparse(default)}"


def annotation(node):
    """A type as it is written; quotes around it are Python's business."""
    return node.value if isinstance(node, ast.Constant) and node.value else ast.unparse(node)


def documented(node):
    """A docstring as Markdown."""
    blocks = re.split(r"\n\s*\n", ast.get_docstring(node) or "")
    return "\n\n".join(part for block in blocks for part in docstring_part(block))


def docstring_part(block):
    if block.startswith(">>> "):
        return [code("python", block)]
    title = re.match(r"(Args|Returns|Raises|Attributes):\n", block)
    if not title:
        # In docstrings one backquote is a name, two are code; both are code here.
        return [block.replace("``", "`")]
    rest = textwrap.dedent(block[title.end():]).replace("``", "`")
    if title[1] == "Returns":
        return [f"**Returns:** {rest}"]
    items = re.sub(r"^(\w+):", r"- `\1`:", rest, flags=re.MULTILINE)
    return [f"**{title[1]}:**", items]


def code(language, text):
    return f"```{language}\n{text}\n```"


# --- C.


def c_header():
    """The header: what it says at its beginning, then each declaration with what is said of it."""
    text = HEADER.read_text()
    preface = re.match(r"(?://.*\n)+", text)[0]
    # Between the guards for C++, without the macro's form for it.
    body = text[text.index('extern "C" {\n#endif'):].split("\n#ifdef __cplusplus\n}")[0]
    parts = [
        "# The header for C",
        "Every function, struct and constant of `weighbridge.h`, from the header itself.",
        "## Overview",
        "<doc:/documentation/Weighbridge/CInterface> shows how it is used.",
        comment(preface),
    ]
    for block in re.split(r"\n\n+", body)[1:]:
        parts += c_block(block)
    return "\n\n".join(parts)


def c_block(block):
    """A declaration, which may span lines that are empty; or the title of a part."""
    if block.startswith("// --- "):
        title, _, rest = comment(block).removeprefix("--- ").rstrip(".").partition(": ")
        return [f"## {title}"] + ([f"{rest[0].upper()}{rest[1:]}."] if rest else [])
    if re.fullmatch(r"(?://(?!/).*\n?)+", block):  # a remark on the file, such as what is generated
        return []
    said = re.match(r"(?:///.*\n)*", block)[0]
    declared = block[len(said):]
    if declared.startswith("#ifdef"):
        declared = re.search(r"#else\n(.*)\n#endif", declared, re.DOTALL)[1]
    if declared.startswith("enum {"):  # the values of the type before it
        return [code("c", declared)]
    return [f"### {c_name(declared)}", code("c", declared), comment(said)]


def c_name(declared):
    """What a declaration declares."""
    for pattern in (r"\A#define (\w+)", r"\(\*(\w+)\)", r"\A[^;{]*?(\w+)\(", r"(\w+);\Z"):
        found = re.search(pattern, declared)
        if found:
            return found[1]
    raise SystemExit(f"{HEADER}: this declares nothing that is known:\n{declared}")


def comment(text):
    """A comment's paragraphs; what is indented in it is code."""
    lines = [re.sub(r"^///? ?", "", line) for line in text.strip().splitlines()]
    paragraphs = re.split(r"\n\n+", "\n".join(lines).strip("\n"))
    shown = [
        code("c", textwrap.dedent(part)) if part.startswith("  ") else
        re.sub(r"(?<!`)\b(?:weighbridge_\w+|WEIGHBRIDGE_\w+)\b(?![^`]*`)", r"`\g<0>`", part)
        for part in paragraphs
    ]
    return "\n\n".join(shown)


def main(folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = {
        "FileFormat": schema(ROOT / "Schemas/wbm.md"),
        "Operators": schema(ROOT / "Schemas/operators.md"),
        "PythonAPI": python_api(),
        "CHeader": c_header(),
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
