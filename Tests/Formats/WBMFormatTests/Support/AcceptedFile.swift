import Bytes
import Testing
import WBMFormat

/// A file that a reader must accept, although our writer would not write it.
struct AcceptedFile: CustomTestStringConvertible {
  /// The name in `Samples/WBM/Accepted`, without `.wbm`.
  let name: String
  /// What is unusual about it.
  let story: String
  let model: RawModel

  var testDescription: String { name }

  init(_ name: String, _ story: String, change: (inout RawModel) -> Void) {
    self.name = name
    self.story = story
    var model = RawModel()
    change(&model)
    self.model = model
  }

  /// All files.
  static let all: [AcceptedFile] = [
    AcceptedFile("plain", "Nothing; the others are this file with one thing changed.") { _ in },
    AcceptedFile("newer-minor", "A later minor version, of which nothing is used.") {
      $0.version.minor = 9
    },
    AcceptedFile("unknown-field", "A field of a later version in the description.") {
      $0.description = Wire.string(777, "later")
    },
    AcceptedFile("field-order", "The fields of a node in another order.") {
      $0.nodes = [
        Wire.bytes(5, [2]) + Wire.bytes(4, [0, 1]) + Wire.string(3, "n") + Wire.number(2, 1)
          + Wire.string(1, "add")
      ]
    },
    AcceptedFile("unpacked", "A list of numbers that is not packed.") {
      $0.nodes = [
        Wire.string(1, "add") + Wire.number(2, 1) + Wire.string(3, "n") + Wire.number(4, 0)
          + Wire.number(4, 1) + Wire.bytes(5, [2])
      ]
    },
    AcceptedFile("explicit-default", "A field that has its default value.") {
      $0.inputs = [Wire.string(1, "x") + Wire.number(2, 0)]
    },
    AcceptedFile("long-varint", "A number of more bytes than it needs.") {
      $0.outputs = [Wire.string(1, "y") + [0x10, 0x82, 0x80, 0x00]]
    },
    AcceptedFile("references", "A reference set whose input and output are one array.") {
      $0.setReferences()
    },
  ]

  /// The text of `Samples/WBM/Accepted/README.md`.
  static var readme: String {
    var text = """
      # Unusual .wbm files

      Each file must be read: it holds the same graph as `plain.wbm`, in bytes that our writer does
      not write. They are made by `Tests/Formats/WBMFormatTests` (`WEIGHBRIDGE_GENERATE=1 swift test --filter
      WBMFormatTests.HostileTests`). They carry no schema, which a writer must store and a reader must not need.

      | file | what is unusual |
      |---|---|

      """
    for file in all { text += "| `\(file.name).wbm` | \(file.story) |\n" }
    return text
  }
}
