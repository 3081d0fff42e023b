import Bytes
import GraphIR

/// Python's literals, and its words that no name can be.
enum PythonLiteral {
  static func bool(_ flag: Bool) -> String { flag ? "True" : "False" }

  /// The shortest decimal of a number; of one that is exact in float32, the shortest that float32
  /// rounds to it.
  static func number(_ number: Double) -> String {
    if number.isNaN { return "float(\"nan\")" }
    if number.isInfinite { return number > 0 ? "float(\"inf\")" : "float(\"-inf\")" }
    let single = Float(number)
    return Double(single) == number ? single.description : number.description
  }

  /// Numbers as one number where they are equal, else as a tuple.
  static func sizes(_ integers: [Int]) -> String {
    if Set(integers).count == 1 { return "\(integers[0])" }
    return "(" + integers.map(String.init).joined(separator: ", ") + ")"
  }

  /// The name of an element type in `torch`.
  static func type(_ type: ElementType) -> String { "torch.\(type.rawValue)" }

  /// The text between the quotation marks of a docstring.
  static func documentation(_ text: String) -> String {
    let printable = text.unicodeScalars.map { scalar in
      scalar.value < 32 && scalar != "\n" ? " " : Character(scalar)
    }
    return String(printable).replacing("\\", with: "\\\\").replacing("\"", with: "'")
  }
}

/// Names of Python: ASCII letters, digits and underscores, unique in their scope.
struct PythonNames: Sendable {
  private var names: UniqueNames

  /// - Parameter reserved: Names that are taken.
  init(reserved: [String] = []) { names = UniqueNames(Self.words + reserved) }

  /// An unused name that is as similar as possible to one of the source.
  mutating func unused(_ name: String) -> String { names.unused(Self.identifier(name)) }

  /// The name of the source as an identifier: `3_convolutional/bias` becomes `convolutional_3_bias`.
  static func identifier(_ name: String) -> String {
    let isValid = { (character: Character) in
      character.isASCII && (character.isLetter || character.isNumber)
    }
    let short = name.replacing("/batch_normalization", with: "/bn")
    var parts = short.split { !isValid($0) }.map(String.init)
    if let first = parts.first, first.allSatisfy(\.isNumber) {
      parts.removeFirst()
      parts.insert(first, at: min(1, parts.count))
    }
    var result = parts.joined(separator: "_")
    if result.first?.isLetter != true { result = result.isEmpty ? "layer" : "layer_\(result)" }
    return String(result.prefix(60))
  }

  /// Python's keywords, what is called by name in the module's text, and the members of `nn.Module`.
  private static let words = """
    False None True and as assert async await break case class continue def del elif else except \
    finally for from global if import in is lambda match nonlocal not or pass raise return try type \
    while with yield self torch nn F Tensor list tuple range reversed float int bool len super \
    forward step decode training train eval to half double bfloat16 cuda cpu type apply parameters \
    buffers children modules named_parameters named_buffers named_children named_modules state_dict \
    load_state_dict register_buffer register_parameter register_module add_module zero_grad compile \
    requires_grad_ share_memory extra_repr dump_patches call_super_init T_destination ipu xpu mtia \
    get_submodule set_submodule get_parameter get_buffer get_extra_state set_extra_state to_empty \
    register_forward_hook register_forward_pre_hook register_full_backward_hook outputs states
    """.split(separator: " ").map(String.init)
}
