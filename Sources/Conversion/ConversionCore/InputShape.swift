/// The shape of a model's input as a user states it: in Keras without the batch axis, in ONNX with all axes.
public struct InputShape: Hashable, Sendable, CustomStringConvertible {
  /// The name of the input; `nil` for a model's only input.
  public var input: String?
  /// The sizes of the dimensions, in Keras of those after the batch; `nil` for any size.
  public var dimensions: [Int?]

  /// Creates a shape from its parts.
  public init(_ dimensions: [Int?], of input: String? = nil) {
    self.input = input
    self.dimensions = dimensions
  }

  /// Parses `8,None,3` or `NAME=8,None,3`; `nil` when the string is neither. `None` is any size.
  public init?(_ text: String) {
    let separator = text.lastIndex(of: "=")
    input = separator.map { String(text[..<$0]) }
    let list = separator.map { text[text.index(after: $0)...] } ?? text[...]
    var dimensions: [Int?] = []
    for part in list.split(separator: ",", omittingEmptySubsequences: false) {
      let size = Int(part)
      guard input != "", size != nil || part == "None" else { return nil }
      dimensions.append(size)
    }
    self.dimensions = dimensions
  }

  /// The shape as ``init(_:)`` parses it.
  public var description: String { (input.map { "\($0)=" } ?? "") + text }

  /// The sizes as ``init(_:)`` parses them: `8,None,3`.
  package var text: String { Self.text(dimensions) }

  /// Several shapes in one line.
  package static func text(_ shapes: [InputShape]) -> String {
    shapes.map(\.description).joined(separator: " ")
  }

  package static func text(_ dimensions: [Int?]) -> String {
    dimensions.map { $0.map(String.init) ?? "None" }.joined(separator: ",")
  }
}
