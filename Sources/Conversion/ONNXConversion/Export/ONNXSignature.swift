import Bytes

/// The types that an operator of ONNX takes and gives in some opset.
package struct ONNXSignature: Sendable {
  /// The type of an input or output.
  enum Parameter: Hashable, Sendable {
    /// That of a variable, which is the same wherever it stands.
    case variable(String)
    case type(ElementType)
    case any
  }

  /// The first opset that has the operator in this version.
  let firstOpset: Int
  private let inputs: [Parameter]
  private let outputs: [Parameter]
  /// Whether the last input or output may be repeated.
  private let repeatsInput, repeatsOutput: Bool
  /// The types that each variable may stand for.
  let variables: [String: [ElementType]]
  /// Those of them with which onnxruntime computes on a processor.
  let runnable: [String: [ElementType]]

  /// Returns the types of an operator in an opset; `nil` if the opset does not have it.
  package static func of(_ operation: String, opset: Int) -> ONNXSignature? {
    all[operation]?.last { $0.firstOpset <= opset }
  }

  /// The first opset that has an operator.
  static func firstOpset(of operation: String) -> Int? { all[operation]?.first?.firstOpset }

  /// The type of an input.
  func input(_ position: Int) -> Parameter {
    Self.parameter(position, of: inputs, repeats: repeatsInput)
  }

  /// The type of an output.
  func output(_ position: Int) -> Parameter {
    Self.parameter(position, of: outputs, repeats: repeatsOutput)
  }

  private static func parameter(_ position: Int, of list: [Parameter], repeats: Bool) -> Parameter {
    if position < list.count { return list[position] }
    return repeats ? list.last ?? .any : .any
  }
}

extension ONNXSignature {
  /// The letters of the types in the table.
  private static let letters: [Character: ElementType] = [
    "?": .bool, "b": .int8, "B": .uint8, "h": .int16, "H": .uint16, "i": .int32, "I": .uint32,
    "q": .int64, "Q": .uint64, "e": .float16, "w": .bfloat16, "f": .float32, "d": .float64,
  ]

  /// All versions of each operator, from the first to the last.
  private static let all: [String: [ONNXSignature]] = {
    var result: [String: [ONNXSignature]] = [:]
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ").map(String.init)
      guard fields.count >= 4, let opset = Int(fields[1]) else { continue }
      result[fields[0], default: []].append(ONNXSignature(fields, firstOpset: opset))
    }
    return result
  }()

  private init(_ fields: [String], firstOpset: Int) {
    self.firstOpset = firstOpset
    let letters = Self.letters
    let constraints = fields.dropFirst(4).map { $0.split(separator: "=").map(String.init) }
    func types(_ choose: (String) -> String) -> [String: [ElementType]] {
      Dictionary(
        constraints.map { ($0[0], choose($0[1]).compactMap { letters[$0] }) },
        uniquingKeysWith: { first, _ in first })
    }
    let variables = types { $0 }
    self.variables = variables
    runnable = types { String($0.prefix { $0 != "," }) }
    func parameters(_ text: String) -> [Parameter] {
      text.split(separator: ",").map { entry in
        let name = entry.last == "*" ? String(entry.dropLast()) : String(entry)
        if variables[name] != nil { return .variable(name) }
        return name.count == 1
          ? name.first.flatMap { letters[$0] }.map(Parameter.type) ?? .any : .any
      }
    }
    (inputs, outputs) = (parameters(fields[2]), parameters(fields[3]))
    (repeatsInput, repeatsOutput) = (fields[2].hasSuffix("*"), fields[3].hasSuffix("*"))
  }
}
