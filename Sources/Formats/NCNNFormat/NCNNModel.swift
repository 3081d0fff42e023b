/// A setting of a layer.
package enum NCNNParameter: Hashable, Sendable {
  case integer(Int)
  case float(Float)
  case integers([Int])
  case floats([Float])
}

/// A layer of a network: a line of a `.param` file.
package struct NCNNLayer: Hashable, Sendable {
  /// The operation, such as `Convolution`.
  package var type: String
  /// The unique name of the layer.
  package var name: String
  /// The blobs that it reads. Each blob is read by only one layer; `Split` makes copies.
  package var inputs: [String]
  /// The blobs that it computes.
  package var outputs: [String]
  /// The settings by number, 0 to 31. A missing one has the layer's default.
  package var parameters: [Int: NCNNParameter]

  package init(
    type: String, name: String, inputs: [String], outputs: [String],
    parameters: [Int: NCNNParameter] = [:]
  ) {
    self.type = type
    self.name = name
    self.inputs = inputs
    self.outputs = outputs
    self.parameters = parameters
  }

  /// Returns an integer setting.
  package func integer(_ id: Int, default value: Int = 0) -> Int {
    if case .integer(let number) = parameters[id] { number } else { value }
  }
}

/// The contents of a `.param` file: layers in execution order. Blobs are arrays of up to four axes,
/// without a batch axis.
///
/// The text begins with the number 7767517 and the numbers of layers and blobs. A line for each
/// layer follows: type, name, the numbers of blobs that it reads and computes, their names, and
/// settings as `number=value`. A list is written as `n=count,value,value` with `n` =
/// -23300 - number (ncnn, param-and-model-file-structure.md).
package struct NCNNModel: Hashable, Sendable {
  /// The first line of a file.
  package static let magic = "7767517"
  /// The maximum length of the name of a layer or blob that ncnn reads, in bytes.
  package static let maximumNameByteCount = 255

  /// The layers.
  package var layers: [NCNNLayer]

  package init(layers: [NCNNLayer]) { self.layers = layers }

  /// The text of the file.
  package var text: String {
    let blobs = layers.reduce(0) { $0 + $1.outputs.count }
    return "\(Self.magic)\n\(layers.count) \(blobs)\n" + layers.map { "\($0.line)\n" }.joined()
  }
}

extension NCNNLayer {
  fileprivate var line: String {
    let padding = String(repeating: " ", count: max(0, 16 - type.utf8.count))
    let tokens =
      [type + padding, name, "\(inputs.count)", "\(outputs.count)"] + inputs + outputs
      + parameters.sorted { $0.key < $1.key }.map { $1.text($0) }
    return tokens.joined(separator: " ")
  }
}

extension NCNNParameter {
  /// The number of a setting that is a list is subtracted from this.
  static let listBase = -23300

  fileprivate func text(_ id: Int) -> String {
    switch self {
    case .integer(let number): "\(id)=\(number)"
    case .float(let number): "\(id)=\(Self.text(number))"
    case .integers(let numbers): list(id, numbers.map(String.init))
    case .floats(let numbers): list(id, numbers.map(Self.text))
    }
  }

  private func list(_ id: Int, _ values: [String]) -> String {
    "\(Self.listBase - id)=" + (["\(values.count)"] + values).joined(separator: ",")
  }

  /// A number in the form that ncnn reads: at most 15 characters, with at most 9 digits after the
  /// decimal point. Infinities become the largest finite numbers.
  private static func text(_ number: Float) -> String {
    let largest = Float.greatestFiniteMagnitude
    let text = "\(number.isNaN ? 0 : min(max(number, -largest), largest))"
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, !text.contains("e"), parts[1].count > 9 else { return text }
    // 0.000123 becomes 1.23e-4.
    let digits = parts[1].drop { $0 == "0" }
    let exponent = parts[1].count - digits.count + 1
    let sign = number < 0 ? "-" : ""
    return "\(sign)\(digits.prefix(1)).\(digits.count > 1 ? digits.dropFirst() : "0")e-\(exponent)"
  }
}
