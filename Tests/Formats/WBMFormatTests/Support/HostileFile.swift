import Bytes
import Testing
import WBMFormat

/// A file that must be refused, with an explanation of how it may come about.
struct HostileFile: CustomTestStringConvertible {
  /// The name in `Samples/Hostile/wbm`, without `.wbm`.
  let name: String
  /// What is wrong with it, and what a careless reader would do.
  let story: String
  /// The code of the error.
  let code: WeighbridgeError.Code
  /// A phrase in the error's reason.
  let phrase: String
  /// Whether opening accepts it, so that only the check of the tensors' bytes finds the damage.
  let opens: Bool
  let bytes: [UInt8]

  var testDescription: String { name }

  init(
    _ name: String, _ phrase: String, code: WeighbridgeError.Code = .malformed,
    opens: Bool = false, story: String, _ bytes: [UInt8]
  ) {
    self.name = name
    self.story = story
    self.code = code
    self.phrase = phrase
    self.opens = opens
    self.bytes = bytes
  }

  /// A tiny model with one part changed and its checksums updated.
  init(
    _ name: String, _ phrase: String, code: WeighbridgeError.Code = .malformed,
    opens: Bool = false, story: String, change: (inout RawModel) -> Void
  ) {
    var model = RawModel()
    change(&model)
    self.init(name, phrase, code: code, opens: opens, story: story, model.file)
  }

  /// All files.
  static let all =
    container + table + syntax + rules + detectors + order + references + encodings
    + quantizations

  /// The text of `Samples/Hostile/wbm/README.md`.
  static var readme: String {
    var text = """
      # Hostile .wbm files

      Each file must be refused, with the error code and the words given here. They are made by
      `Tests/Formats/WBMFormatTests` (`WEIGHBRIDGE_GENERATE=1 swift test --filter
      WBMFormatTests.HostileTests`) from one tiny model with one thing changed; unless the story
      says otherwise, all checksums fit. Attacks that need megabytes are made in memory by the same
      tests. `expected.json` has the classes of `Schemas/wbm.md` for programs.

      | file | story | class of the error, and words of ours |
      |---|---|---|

      """
    for file in all {
      let when = file.opens ? " (by the check of the tensors)" : ""
      text += "| `\(file.name).wbm` | \(file.story) | \(file.errorClass): \(file.phrase)\(when) |\n"
    }
    return text
  }

  /// The class of the error, as `Schemas/wbm.md` calls it.
  private var errorClass: String { code == .limitExceeded ? "limit" : code.description }

  /// The text of `Samples/Hostile/wbm/expected.json`.
  static var expectations: String {
    let entries = all.map {
      "  \"\($0.name).wbm\": {\"class\": \"\($0.errorClass)\", \"opens\": \($0.opens)}"
    }
    return "{\n" + entries.joined(separator: ",\n") + "\n}\n"
  }
}
