import Bytes
import GraphIR
import JSON
import KerasFormat

/// Brackets and attributes.
extension LambdaTranslation {
  /// The value of `base[index]`.
  mutating func item(
    _ base: LambdaValue, _ index: PythonExpression
  ) throws(PythonRefusal) -> LambdaValue {
    if case .tensor(let name) = base { return try item(ofTensor: name, index) }
    if case .outputs(let step, nil) = base, let number = try value(index).integer, number >= 0 {
      return .tensor("\(step)[\(number)]")
    }
    guard let elements = base.elements else {
      throw PythonRefusal("uses brackets after something other than a tensor or a list")
    }
    if case .slice(let bounds) = index {
      return LambdaValue(list: try slice(elements, bounds))
    }
    guard let number = try value(index).integer else {
      throw PythonRefusal("uses something else than a number as the index of a list")
    }
    let position = number < 0 ? number + elements.count : number
    guard elements.indices.contains(position) else {
      throw PythonRefusal("takes element \(number) of a list of \(elements.count)")
    }
    return elements[position]
  }

  /// The elements of `list[start:stop:step]`.
  private mutating func slice(
    _ elements: [LambdaValue], _ bounds: [PythonExpression]
  ) throws(PythonRefusal) -> [LambdaValue] {
    var numbers: [Int?] = []
    for bound in bounds {
      let value = try value(bound)
      guard value == .constant(.none) || value.integer != nil else {
        throw PythonRefusal("uses something else than numbers for a range of a list")
      }
      numbers.append(value.integer)
    }
    let (step, count) = (numbers.count > 2 ? numbers[2] ?? 1 : 1, elements.count)
    if step == -1, numbers[0] == nil, numbers[1] == nil { return elements.reversed() }
    guard step == 1 else { throw PythonRefusal("takes every \(step)th element of a list") }
    func position(_ number: Int) -> Int { min(max(number < 0 ? number + count : number, 0), count) }
    let (start, stop) = (position(numbers[0] ?? 0), position(numbers[1] ?? count))
    return start < stop ? Array(elements[start..<stop]) : []
  }

  private mutating func item(
    ofTensor name: String, _ index: PythonExpression
  ) throws(PythonRefusal) -> LambdaValue {
    let parts: [PythonExpression] =
      switch index {
      case .tuple(let list): list
      case .value(.tuple(let list)): list.map { .value($0) }
      default: [index]
      }
    var spec: [JSONValue] = []
    for part in parts { spec.append(try itemPart(part)) }
    // An input may be a list of one tensor, and an index would then mean the tensor.
    if name.hasPrefix("input"), spec.first?.integer != nil {
      throw PythonRefusal("takes one element of its input, which is a list or the batch")
    }
    let getItem = "tf.__operators__.getitem"
    return .tensor(addStep(getItem, [.string(name)], ["slice_spec": .array(spec)]))
  }

  private mutating func itemPart(_ part: PythonExpression) throws(PythonRefusal) -> JSONValue {
    if case .slice(let bounds) = part {
      var range = JSONObject()
      for (key, bound) in zip(["start", "stop", "step"], bounds) {
        let value = try value(bound)
        if value == .constant(.none) { continue }
        guard let number = value.integer else {
          throw PythonRefusal("has a range whose \(key) is no number that the file has")
        }
        range[key] = .integer(number)
      }
      return .object(range)
    }
    switch try value(part) {
    case .constant(.none): return .null
    case .constant(.ellipsis): return .object(["class_name": "__ellipsis__"])
    case .constant(.integer(let number)): return .integer(number)
    default: throw PythonRefusal("has an index that is neither a number nor a range")
    }
  }

  /// The value of `base.name`.
  ///
  /// - Parameter path: The dotted name, if it is one.
  mutating func attribute(
    _ base: PythonExpression, _ name: String, _ path: String?
  ) throws(PythonRefusal) -> LambdaValue {
    if let path { return try constant(path, name) }
    switch name {
    case "shape": return try shape(of: try value(base))
    case "ndim":
      if let count = try shape(of: try value(base)).elements?.count {
        return .constant(.integer(count))
      }
    // A dimension of TensorFlow 1.
    case "value":
      let value = try value(base)
      if value.integer != nil { return value }
    case "dtype":
      if case .tensor(let tensor) = try value(base), let type = context.type(ofInput: tensor) {
        return .constant(.string(type.elementType.rawValue))
      }
    case "values", "indices":
      if case .outputs(let step, count: 2) = try value(base) {
        return .tensor("\(step)[\(name == "values" ? 0 : 1)]")
      }
    default: break
    }
    throw PythonRefusal("uses the attribute \(PythonValue.printable(name)) of a tensor")
  }

  /// The value of a name in a module.
  private func constant(_ path: String, _ name: String) throws(PythonRefusal) -> LambdaValue {
    let module = path.prefix { $0 != "." }
    let isNumPy = ["np", "numpy", "math"].contains(module)
    let isTensorFlow = ["tf", "tensorflow", "ktf"].contains(module) || path.hasPrefix("K.tf.")
    if isNumPy, let number = PythonMath.constants[name] { return .constant(.float(number)) }
    if isNumPy || isTensorFlow, name == "newaxis" { return .constant(.none) }
    if isNumPy || isTensorFlow, Self.elementTypes.contains(name) {
      return .constant(.string(name))
    }
    if isTensorFlow, path.hasSuffix(".ResizeMethod.\(name)"), let method = Self.methods[name] {
      return .constant(.string(method))
    }
    throw PythonRefusal("uses \(PythonValue.printable(path)), which is not known here")
  }

  private static let elementTypes: Set = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
  ]

  private static let methods = [
    "BILINEAR": "bilinear", "NEAREST_NEIGHBOR": "nearest", "BICUBIC": "bicubic", "AREA": "area",
  ]

  /// The shape of a tensor: a list of numbers for an input, as far as the file states them, and else
  /// a tensor.
  mutating func shape(of value: LambdaValue) throws(PythonRefusal) -> LambdaValue {
    // The shape of a shape: `x.get_shape().as_list()` is a list already.
    guard case .tensor(let name) = value else {
      throw PythonRefusal("asks for the shape of something else than a tensor")
    }
    guard let type = context.type(ofInput: name) else {
      return .tensor(addStep("tf.shape", [.string(name)], [:]))
    }
    let unknown = PythonValue.other("the size of an axis that the file does not state")
    return .constant(
      .tuple(type.shape.map { $0.value.map(PythonValue.integer) ?? unknown }))
  }
}
