"""Makes the hostile Keras files of this folder, and its README.md.

    python make.py

Each function below is one attack; its name is the file's, its comment says why it is here. What the
program must say to each is in Tests/Conversion/ConversionTests/KerasConversion/HostileKerasFiles.swift.
"""

import inspect
import os

import containers
import graphs
import settings

HEAD = """# Hostile Keras files

Files that Keras would not write, or that cannot be converted: one per attack. None of them may crash the
program or take much time or memory, and but for those that say so none gives a model. `make.py` makes them (and this text);
`requirements.txt` pins what it needs. `Tests/Conversion/ConversionTests/KerasConversion/HostileKerasTests.swift` says what the
program must answer.

| file | what it tries |
|---|---|
"""


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    for name in os.listdir("."):
        if name.endswith(".h5"):
            os.remove(name)
    lines = []
    for module in (containers, graphs, settings):
        for name, attack in inspect.getmembers(module, inspect.isfunction):
            if attack.__module__ != module.__name__ or name.startswith("_"):
                continue
            attack(f"{name}.h5")
            lines.append(f"| `{name}.h5` | {' '.join(attack.__doc__.split())} |\n")
    with open("README.md", "w") as readme:
        readme.write(HEAD + "".join(sorted(lines)))


main()
