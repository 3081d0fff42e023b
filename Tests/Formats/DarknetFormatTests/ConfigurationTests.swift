import Bytes
import DarknetFormat
import Testing

/// The text of a `.cfg`, as both forks of darknet read it.
@Suite struct ConfigurationTests {
  private func parse(_ text: String) throws -> [DarknetSection] {
    try DarknetConfiguration(bytes: Array(text.utf8)).sections
  }

  private func refusal(_ text: String) -> WeighbridgeError? {
    do throws(WeighbridgeError) {
      _ = try DarknetConfiguration(bytes: Array(text.utf8))
      return nil
    } catch { return error }
  }

  @Test("Blanks are dropped, inside of words too, and lines may end as on Windows")
  func blanks() throws {
    let sections = try parse(" [ net ]\r\nwi dth =\t4 16\r\n\r\n[conv]\r\n")
    #expect(sections.map(\.name) == ["net", "conv"])
    #expect(sections[0].options.map(\.text) == ["width=416"])
    #expect(sections.map(\.line) == [1, 4])
    #expect(sections[0].options[0].line == 2)
  }

  @Test("A byte order mark before the first section is not part of it")
  func mark() throws {
    #expect(try parse("\u{FEFF}[net]\r\nwidth=4").map(\.name) == ["net"])
    #expect(try parse("\u{FEFF}# comment\n[net]").map(\.line) == [2])
  }

  @Test("A comment is a line that begins with # or ;, and nothing else is one")
  func comments() throws {
    let sections = try parse("# a\n;b\n[net]\n  # c\nactivation=leaky # d\n")
    #expect(sections[0].options.map(\.text) == ["activation=leaky#d"])
  }

  @Test("The first equals sign ends the key, and duplicate keys are kept")
  func options() throws {
    let sections = try parse("[net]\na=b=c\na=\na=d")
    #expect(sections[0].options.map(\.value) == ["b=c", "", "d"])
  }

  @Test("A line without = is a key without a value, and hides the key in the lines after it")
  func bareKeys() throws {
    let section = try parse("[net]\n  batch 64 \nbatch=8\nwidth\nwidth=4\nheight=\nheight=5\n")[0]
    #expect(section.options.map(\.bareLine) == ["\"batch 64\"", nil, "\"width\"", nil, nil, nil])
    #expect(section.option("batch")?.value == "8")
    #expect(section.option("width") == nil)
    #expect(section.option("height")?.value == "5")
  }

  @Test(
    "A malformed text is refused with its line",
    arguments: [
      ("width=1\n[net]", 1), ("[net]\n\n[conv\n", 3), ("[net]\n[]\n", 2),
      ("[net]\na=\0", 2),
    ])
  func malformed(text: String, line: Int) {
    let error = refusal(text)
    #expect(error?.code == .malformed)
    #expect(error?.place.position == .line(line))
  }

  @Test("More sections than any network has are refused")
  func sectionLimit() {
    let text = "[net]\n" + String(repeating: "[dropout]\n", count: 10_000)
    #expect(refusal(text)?.code == .limitExceeded)
    #expect(refusal("# nothing")?.reason == "has no section")
  }

  @Test(
    "A .cfg is recognized by its first line that is not a comment",
    arguments: [
      ("[net]\n", true), ("# a\r\n\r\n ; b\n [ convolutional ]\r\n", true), ("[1, 2]", false),
      ("[\"a\"]", false), ("{}", false), ("net", false), ("", false), ("[net\n]", false),
      ("# only", false), ("\u{FEFF}[net]\r\n", true),
    ])
  func recognition(text: String, isRecognized: Bool) {
    #expect(DarknetConfiguration.recognizes(Array(text.utf8).span.bytes) == isRecognized)
  }

  @Test("Numbers are read as C reads them")
  func numbers() {
    #expect(DarknetNumber.integer("8")?.value == 8)
    #expect(DarknetNumber.integer("8.9")?.value == 8)
    #expect(DarknetNumber.integer("8#eight")?.isEntireText == false)
    #expect(DarknetNumber.integer("-12,3")?.value == -12)
    #expect(DarknetNumber.integer("+7")?.isEntireText == true)
    for text in ["", "-", "x8", "4294967296", "99999999999999999999"] {
      #expect(DarknetNumber.integer(text) == nil)
    }
    #expect(DarknetNumber.double(".5")?.value == 0.5)
    #expect(DarknetNumber.double("-1.")?.value == -1)
    #expect(DarknetNumber.double("1e-3x")?.value == 0.001)
    #expect(DarknetNumber.double("1e")?.value == 1)
    #expect(DarknetNumber.double("-.25e+1")?.value == -2.5)
    for text in ["", ".", "e5", "nan", "inf", "1e999"] {
      #expect(DarknetNumber.double(text) == nil)
    }
  }
}
