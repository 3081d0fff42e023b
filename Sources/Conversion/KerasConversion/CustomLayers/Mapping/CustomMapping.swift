import Bytes
import GraphIR
import JSON
import LayerCatalog

/// The replacement of a layer: steps, or nothing but its types.
package struct CustomMapping: Sendable {
  enum Form: Sendable {
    /// Consecutive steps, and which of their outputs are the layer's; `nil` for all outputs of the
    /// last step.
    case steps([CustomStep], outputs: [TensorSource]?)
    /// The layer is kept as it is; the shapes of its outputs where they are given.
    case kept(shapes: [[Int?]]?)
  }

  /// The largest number of steps, more than any layer needs.
  private static let stepLimit = 256

  let form: Form
  /// Whether the layer is kept as it is.
  package var isKept: Bool { if case .kept = form { true } else { false } }
  /// The shapes of a kept layer's outputs, where they are given.
  package var keptShapes: [[Int?]]? { if case .kept(let shapes) = form { shapes } else { nil } }
  /// The names of settings that have no effect on the steps.
  let ignored: [NamePattern]
  /// Whether the first input's mask is passed on with the outputs; custom layers drop it unless
  /// they state otherwise.
  let keepsMask: Bool
  /// Whether it takes precedence over a different output shape stated in the file.
  let overrulesShape: Bool
  /// Whether it is written as a list of steps, which has no members of its own.
  let isList: Bool

  /// Reads a mapping: one step, a list of steps, or an object with steps and further members.
  init(parsing json: JSONValue, place: String) throws(WeighbridgeError) {
    if let list = json.array {
      let steps = try Self.steps(list, place: place)
      try Self.checkUse(of: steps, outputs: nil)
      form = .steps(steps, outputs: nil)
      (ignored, keepsMask, overrulesShape, isList) = ([], false, false, true)
      return
    }
    isList = false
    var members = try MappingMembers(json, place: place)
    ignored = try members.strings("ignore")?.map(NamePattern.init) ?? []
    keepsMask = try members.flag("keep_mask") ?? false
    overrulesShape = try members.flag("overrule_shape") ?? false
    if let keeps = members.take("keep") {
      guard keeps == true else { throw members.failure("can only be true", "keep") }
      form = .kept(shapes: try Self.shapes(&members))
      try members.finish()
    } else if let list = try members.list("steps") {
      let steps = try Self.steps(list, place: "\(place).steps")
      var outputs: [TensorSource]?
      if let names = try members.list("outputs") {
        outputs = try names.map { (name) throws(WeighbridgeError) in
          try TensorSource(name, steps: steps.map(\.name), place: "\(place).outputs")
        }
        if names.isEmpty { throw members.failure("is empty", "outputs") }
      }
      try Self.checkUse(of: steps, outputs: outputs)
      form = .steps(steps, outputs: outputs)
      try members.finish()
    } else {
      form = .steps([try CustomStep(&members, number: 1, earlier: [])], outputs: nil)
    }
  }

  private static func steps(
    _ list: [JSONValue], place: String
  ) throws(WeighbridgeError) -> [CustomStep] {
    guard (1...stepLimit).contains(list.count) else {
      throw .mismatch(
        "\(place) has \(list.count.counted("step")), and 1 to \(stepLimit) are possible")
    }
    var steps: [CustomStep] = []
    for (index, json) in list.enumerated() {
      var members = try MappingMembers(json, place: "\(place)[\(index)]")
      steps.append(try CustomStep(&members, number: index + 1, earlier: steps.map(\.name)))
    }
    return steps
  }

  /// Refuses a step that changes nothing, as remains when another is edited.
  private static func checkUse(
    of steps: [CustomStep], outputs: [TensorSource]?
  ) throws(WeighbridgeError) {
    var used = Set(outputs?.compactMap(\.step) ?? [steps.count - 1])
    for (index, step) in steps.enumerated() {
      used.formUnion(step.sources?.compactMap(\.step) ?? [index - 1])
    }
    guard let unused = steps.indices.first(where: { !used.contains($0) }) else { return }
    throw .mismatch(
      "\(steps[unused].place) (\"\(steps[unused].name)\") is read by no later step, and is none of the "
        + "outputs, which are those of the last step unless \"outputs\" names others")
  }

  private static func shapes(
    _ members: inout MappingMembers
  ) throws(WeighbridgeError) -> [[Int?]]? {
    guard let list = try members.list("output_shapes") else { return nil }
    let shapes = list.compactMap { shape in
      shape.array.flatMap { dimensions -> [Int?]? in
        let isShape = dimensions.allSatisfy { $0 == .null || ($0.integer ?? 0) > 0 }
        return isShape ? dimensions.map(\.integer) : nil
      }
    }
    guard shapes.count == list.count, !list.isEmpty else {
      throw members.failure(
        "is not a list of shapes such as [null, 13, 13, 256]", "output_shapes")
    }
    return shapes
  }

  /// A short description of the mapping, for the provenance.
  package var summary: String {
    switch form {
    case .kept: "nothing: it is kept as it is"
    case .steps(let steps, _): steps.map(\.summary).joined(separator: ", then ")
    }
  }
}

/// The source of a tensor in a mapping: `input`, `input[1]`, a step's name, `name[1]`,
/// `$weights.NAME`, `$weights[0]`, or numbers in the mapping itself.
enum TensorSource: Sendable {
  /// An input of the layer; the only one unless a number is given.
  case input(Int?)
  /// An output of an earlier step.
  case step(Int, output: Int)
  /// One of the layer's weights.
  case weight(WeightName)
  /// Numbers, with their element type; `nil` for that of the first input.
  case constant(shape: [Int], [Double], ElementType?)

  /// The index of the step; `nil` for another source.
  var step: Int? { if case .step(let index, _) = self { index } else { nil } }

  /// - Parameter steps: The names of the steps that can be referred to.
  init(_ json: JSONValue, steps: [String], place: String) throws(WeighbridgeError) {
    if let text = json.string {
      try self.init(text, steps: steps, place: place)
      return
    }
    var numbers = json
    var type: ElementType?
    if let object = json.object {
      var members = try MappingMembers(json, place: place)
      numbers = members.take("constant") ?? .null
      let name = try members.string("dtype")
      type = name.flatMap(ElementType.init)
      try members.finish()
      guard object["dtype"] == nil || type != nil else {
        throw members.failure("is no type of numbers", "dtype")
      }
    }
    guard let (shape, elements) = Self.array(numbers) else {
      throw .mismatch(
        "\(place) has \(json.text().prefix(40)), which is neither a name nor an array of finite numbers "
          + "whose rows are equally long")
    }
    self = .constant(shape: shape, elements, type)
  }

  /// Reads a number, or nested lists of numbers of equal lengths.
  private static func array(_ json: JSONValue) -> (shape: [Int], elements: [Double])? {
    if let number = json.real { return number.isFinite ? ([], [number]) : nil }
    guard let list = json.array, !list.isEmpty else { return nil }
    let rows = list.compactMap(array)
    guard rows.count == list.count, rows.allSatisfy({ $0.shape == rows[0].shape }) else {
      return nil
    }
    return ([rows.count] + rows[0].shape, rows.flatMap(\.elements))
  }

  /// - Parameter steps: The names of the steps that can be referred to.
  init(_ text: String, steps: [String], place: String) throws(WeighbridgeError) {
    var name = text
    var number: Int?
    if text.hasSuffix("]"), let bracket = text.lastIndex(of: "[") {
      number = Int(text[text.index(after: bracket)...].dropLast())
      name = String(text[..<bracket])
      guard let number, number >= 0 else {
        throw .mismatch("\(place) has \"\(text)\", with no number in brackets")
      }
    }
    if name == "input" {
      self = .input(number)
    } else if name == "$weights", let number {
      self = .weight(.number(number))
    } else if name.hasPrefix("$weights."), number == nil {
      self = .weight(.name(NamePattern(String(name.dropFirst("$weights.".count)))))
    } else if let step = steps.firstIndex(of: name) {
      self = .step(step, output: number ?? 0)
    } else {
      let known = (["input"] + steps).joined(separator: ", ")
      throw .mismatch(
        "\(place) refers to \"\(text)\", and what can be referred to there is \(known), "
          + "$weights.NAME and $weights[NUMBER]")
    }
  }
}

/// A reference to a weight of the layer: by the last part of its name in the file, or by its
/// position among those that no step has taken yet.
enum WeightName: Sendable {
  case name(NamePattern)
  case number(Int)

  var text: String {
    switch self {
    case .name(let pattern): pattern.text
    case .number(let number): String(number)
    }
  }

  func matches(_ position: Int, _ name: String) -> Bool {
    switch self {
    case .name(let pattern): pattern.matches(name)
    case .number(let number): number == position
    }
  }
}
