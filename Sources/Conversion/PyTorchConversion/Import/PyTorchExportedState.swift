import Bytes
import ConversionCore
import GraphIR

/// Tensors that are the state of the module which is exported of an architecture.
///
/// Such a module may have a weight in parts, in another order or under several names. Which element
/// is where is found by exporting the architecture again with numbered elements, so that it follows
/// from the exporter. A tensor that is computed from weights cannot be turned back into them: it
/// must be what the architecture gives.
struct PyTorchExportedState {
  private let content: ModelContent
  private let options: PyTorchOptions
  /// The module of the architecture.
  private let module: PyTorchTranslation
  /// The tensors of the module, and those that were given.
  private let pairs: [(name: String, exported: Tensor, given: Tensor)]

  /// - Parameter isNamed: Whether the tensors have the names of the module, or their order and the
  ///   ends of names.
  /// - Returns: `nil` if they have not, or have other shapes.
  init?(_ tensors: PyTorchFoundTensors.Tensors, of content: ModelContent, isNamed: Bool) {
    for layout in [ExportLayout.nchw, .source] {
      var options = PyTorchOptions()
      options.layout = layout
      guard let module = try? Self.module(content, options),
        let pairs = Self.pairs(module.state, tensors, isNamed)
      else { continue }
      (self.content, self.options, self.module, self.pairs) = (content, options, module, pairs)
      return
    }
    return nil
  }

  private static func module(
    _ content: ModelContent, _ options: PyTorchOptions
  ) throws(WeighbridgeError) -> PyTorchTranslation {
    try PyTorchTranslation(content, options: options, weightsName: "")
  }

  private static func pairs(
    _ state: PyTorchFoundTensors.Tensors, _ tensors: PyTorchFoundTensors.Tensors, _ isNamed: Bool
  ) -> [(name: String, exported: Tensor, given: Tensor)]? {
    guard state.count == tensors.count else { return nil }
    let positions = Dictionary(tensors.enumerated().map { ($1.name, $0) }) { first, _ in first }
    // The name of a tensor in one of PyTorch's own layers; others are called as the layers are.
    func role(_ name: String) -> String? {
      name.wholeMatch(of: #/.*\.((weight|bias|running)(_(ih|hh)_l0|_mean|_var)?)/#).map {
        String($0.1)
      }
    }
    let pairs = state.enumerated().compactMap { position, exported in
      (isNamed ? positions[exported.name] : position).map {
        (name: tensors[$0].name, exported: exported.tensor, given: tensors[$0].tensor)
      }
    }
    let isPaired =
      pairs.count == state.count
      && zip(state, pairs).allSatisfy {
        $1.exported.shape == $1.given.shape && role($0.name) == role($1.name)
      }
    return isPaired ? pairs : nil
  }

  /// The weights of which the tensors have elements, by their names. Others are those of the
  /// architecture.
  ///
  /// - Parameter constants: The names of those that may be numbers in the code.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a tensor that is computed from weights is
  ///   another one, when tensors differ in an element that both have, or when the module's code has
  ///   a weight as a number.
  func weights(constants: Set<String>) throws(WeighbridgeError) -> [String: Tensor] {
    let numbered = NumberedElements(content.graph)
    var digits: [[String: Tensor]] = []
    for digit in 0..<numbered.digitCount {
      let state = try module(with: numbered.digits(digit)).state
      digits.append(Dictionary(state.map { ($0.name, $0.tensor) }) { first, _ in first })
    }
    var found = FoundElements(numbered.weights.map(\.tensor))
    for ((name, exported, given), exportedName) in zip(pairs, module.state.map(\.name)) {
      let parts = digits.compactMap { $0[exportedName] }.filter { $0.shape == exported.shape }
      // What the module's file has: its tensors may have a narrower type.
      let old = Tensor(given.elementType, shape: exported.shape, exported.doubles).doubles
      let elements = parts.count == digits.count ? numbered.elements(parts) : nil
      if let elements, found.have(old, at: elements) {
        if let weight = found.take(given.doubles, insteadOf: old, at: elements) {
          throw .mismatch(
            "differs from an earlier tensor in an element of \(numbered.weights[weight].name), which both have"
          ).at(.path(name))
        }
      } else if !zip(old, given.doubles).allSatisfy(FoundElements.isSame) {
        throw .mismatch(
          "is computed from weights, which cannot be inferred from it, and is not what those of the architecture "
            + "give, which must be the ones that the module was exported with"
        ).at(.path(name))
      }
    }
    let tensors = numbered.weights.indices.map { found.tensor($0) }
    var lacking: [String] = []
    for (position, weight) in numbered.weights.enumerated()
    where tensors[position] == nil && !constants.contains(weight.name) {
      let changed = try module(with: numbered.digits(0, of: position))
      if changed.text != module.text { lacking.append(weight.name) }
    }
    guard lacking.isEmpty else {
      let names = PyTorchWeightNames.list(lacking)
      throw .mismatch("has no tensors for \(names), which the module has as numbers in its code")
    }
    return Dictionary(
      zip(numbered.weights, tensors).compactMap { weight, tensor in tensor.map { (weight.name, $0) }
      }
    ) { first, _ in first }
  }

  /// The module of the architecture with some other weights.
  private func module(
    with weights: [ValueID: Tensor]
  ) throws(WeighbridgeError) -> PyTorchTranslation {
    var content = content
    content.graph = content.graph.settingConstants(weights)
    return try Self.module(content, options)
  }
}

extension PyTorchTranslation {
  /// The tensors that are weights, in the module's order.
  fileprivate var state: PyTorchFoundTensors.Tensors {
    PyTorchWeightNames.weights(among: weights.map { ($0.name, $0.tensor) })
  }
}

/// The elements of an architecture's weights, and which of them were found in a file.
private struct FoundElements {
  private let weights: [Tensor]
  private let originals: [[Double]]
  private var numbers: [[Double]]
  private var isFound: [[Bool]]

  init(_ weights: [Tensor]) {
    self.weights = weights
    originals = weights.map(\.doubles)
    numbers = originals
    isFound = originals.map { $0.map { _ in false } }
  }

  static func isSame(_ first: Double, _ second: Double) -> Bool {
    first.bitPattern == second.bitPattern || first.isNaN && second.isNaN
  }

  /// Whether numbers are the architecture's elements, each rounded to any type that a model
  /// computes in.
  func have(_ values: [Double], at elements: [(weight: Int, element: Int)]) -> Bool {
    zip(values, elements).allSatisfy { value, place in
      let original = originals[place.weight][place.element]
      return Self.isSame(value, original) || abs(value - original) <= abs(original) / 128
    }
  }

  /// Takes numbers; what the module has rounded, and training has not changed, stays as it was.
  ///
  /// - Parameter old: The numbers that the architecture's module has.
  /// - Returns: The weight with an element that was found before as another number; `nil` if there
  ///   is none.
  mutating func take(
    _ values: [Double], insteadOf old: [Double], at elements: [(weight: Int, element: Int)]
  ) -> Int? {
    for (position, (weight, element)) in elements.enumerated() {
      let isKept = Self.isSame(values[position], old[position])
      let number = isKept ? originals[weight][element] : values[position]
      if isFound[weight][element], !Self.isSame(numbers[weight][element], number) { return weight }
      (numbers[weight][element], isFound[weight][element]) = (number, true)
    }
    return nil
  }

  /// A weight in its type, or in float32 where that would round its numbers; `nil` if none was
  /// found.
  func tensor(_ position: Int) -> Tensor? {
    guard isFound[position].contains(true) else { return nil }
    let (weight, numbers) = (weights[position], numbers[position])
    let tensor = Tensor(weight.elementType, shape: weight.shape, numbers)
    return zip(tensor.doubles, numbers).allSatisfy(Self.isSame)
      ? tensor : Tensor(.float32, shape: weight.shape, numbers)
  }
}
