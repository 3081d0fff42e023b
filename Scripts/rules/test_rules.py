"""Each rule finds what breaks it, and nothing in what does not: `python3 -m unittest discover Scripts/rules`."""

import pathlib
import tempfile
import unittest

import floors
import links
import reasons
import suites

MANIFEST = """
enum Floor: String, CaseIterable {
  case base = "Base"
  case formats = "Formats"
}
    module(.base, "Bytes"),
    module(  // Text.
      .formats, "Text", ["Bytes"]),
"""


class Rules(unittest.TestCase):
    def test_floors(self):
        self.assertEqual(floors.floor_names(MANIFEST), ["Base", "Formats"])
        known = floors.dependencies(MANIFEST)
        self.assertEqual(known, {"Bytes": set(), "Text": {"Bytes"}})
        numbers = {"Bytes": 0, "Text": 1, "Other": 1}
        self.assertIn("higher floor", floors.violation("Bytes", "Text", numbers, known))
        self.assertIn("does not depend", floors.violation("Text", "Other", numbers, known))
        self.assertIsNone(floors.violation("Text", "Bytes", numbers, known))
        self.assertIsNone(floors.violation("Text", "Foundation", numbers, known))
        text = "package import Bytes\n@testable import Text\nimport struct Other.Thing\n"
        self.assertEqual(floors.IMPORT.findall(text), ["Bytes", "Text", "Other"])

    def test_links(self):
        names = links.overloaded(
            "extension Image {\n  func write(\n    to location: some FileLocation, _ change: (inout Image) -> Void\n  ) {}\n"
            "  func draw(_ box: Box) {}\n}\nextension Model {\n  init(of location: some FileLocation) {}\n}")
        self.assertEqual(names, {("Image", "write(to:_:)"), ("Model", "init(of:)")})
        text = "``Image/write(to:_:)`` ``write(to:_:)`` ``Image/write(to:_:)-(String,_)`` ``Other/init(of:)`` ``/A/Model/init(of:)``"
        self.assertEqual([name for _, name in links.unclear(text, names)], ["write(to:_:)"] * 2 + ["init(of:)"])

    def test_unplaced_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            tests, modules = pathlib.Path(folder, "Tests"), pathlib.Path(folder, "Text")
            for path in (tests / "Reading", tests / "Files", tests / "Other", modules / "Reading"):
                path.mkdir(parents=True)
            violation = "Other: expected a folder called as a module of Text"
            self.assertEqual(list(floors.unplaced_tests(tests, modules)), [f"{tests}/{violation}"])

    def test_early_return(self):
        test = '@Test("{") func a() {\n  guard b else { return }\n  #expect(c)\n}\n'
        self.assertEqual(len(list(suites.problems(test))), 1)
        test = "@Test func a() {\n  guard b else {\n    Issue.record(d)\n    return\n  }\n}\n"
        self.assertEqual(list(suites.problems(test)), [])

    def test_empty_list(self):
        test = "@Test func a() {\n  for file in files() {\n    #expect(file)\n  }\n}\n"
        self.assertEqual(len(list(suites.problems(test))), 1)
        self.assertEqual(list(suites.problems(test.replace("files()", "[1, 2]"))), [])
        self.assertEqual(list(suites.problems(test.replace("func a() {\n", "func a() {\n  #expect(n == 2)\n"))), [])
        self.assertEqual(list(suites.problems("let list = [1, 2]\n" + test.replace("files()", "list"))), [])

    def test_reasons(self):
        for reason in ("k=X", "has X axes", "X spatial axes"):
            self.assertFalse(reasons.is_complete(reason), reason)
        for reason in ("k=X, expected 1", "X has no axes", "the key X occurs twice", "has X axes, and Keras three"):
            self.assertTrue(reasons.is_complete(reason), reason)
        source = r'throw .malformed("units=\(list.map { "\($0)" }), "' + '\n  + "expected one")'
        self.assertEqual([reason for _, reason in reasons.reasons(source)], ["units=X, expected one"])
        self.assertEqual(list(reasons.reasons(r'throw .malformed("the input \(error.reason)")')), [])


if __name__ == "__main__":
    unittest.main()
