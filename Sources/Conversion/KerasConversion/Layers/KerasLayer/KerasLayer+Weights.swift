package import Bytes
import ConversionCore
package import GraphIR
import LayerCatalog

/// The layer's weights, taken in the order of the file.
extension KerasLayer {
  /// Takes the next weight.
  ///
  /// - Parameters:
  ///   - role: Its role for the operator, for example `kernel`.
  ///   - shape: The shape that follows from the layer's settings and input, in Keras' axis order.
  ///   - isTrainable: Whether it is trained by gradients, which determines its position in the list
  ///     of a nested model.
  ///   - keepsType: Whether it keeps the type it has in the file; otherwise it is cast to the type
  ///     in which the layer computes.
  ///   - elementType: The type that it must have in the file; `nil` for any floating-point type.
  ///   - canonical: Converts it to the operator's axis order; must not depend on the elements.
  /// - Returns: The value of the weight in the graph, named `layer/role`, or of its cast.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none or its shape differs.
  package mutating func weight(
    _ role: String, shape: [Int], isTrainable: Bool = true, keepsType: Bool = false,
    storedAs elementType: ElementType? = nil, canonical: (Tensor) -> Tensor = { $0 }
  ) throws(WeighbridgeError) -> ValueID {
    request(path(of: role), shape, isTrainable: isTrainable)
    guard requestedRoles.insert(path(of: role)).inserted else {
      throw .unsupported("takes two weights \(path(of: role))")
    }
    requestedShapes.append(shape)
    let tensor: Tensor
    if let placeholderLimit {
      tensor = try placeholder(role, shape: shape, elementType, limit: placeholderLimit)
      guard sharesPlaceholders else {
        return try addWeight(path(of: role), canonical(tensor))
      }
    } else {
      let weight = try takeWeight(role, shape: shape)
      try checkType(of: weight, role, elementType)
      tensor = keepsType || elementType != nil ? weight.tensor : asVariable(weight.tensor)
    }
    if let value = weightValues[path(of: role)] { return value }
    let value = try constant(role, canonical(tensor))
    guard !keepsType, let type = types?.compute else { return value }
    let result = try cast(value, to: type, role: "\(role)_cast")
    weightValues[path(of: role)] = result
    return result
  }

  /// The elements as the layer's variable holds them, which Keras converts when it reads a file.
  ///
  /// Keras' own files have the variable's type; those of TensorFlow.js have float32 for all others.
  private func asVariable(_ tensor: Tensor) -> Tensor {
    guard let types, types.variable == types.compute, tensor.elementType.isFloat,
      tensor.elementType != types.variable
    else { return tensor }
    return Tensor(types.variable, shape: tensor.shape, tensor.doubles)
  }

  /// Records that a weight is taken.
  private mutating func request(_ role: String, _ shape: [Int]?, isTrainable: Bool) {
    requestedWeights.append(
      RequestedWeight(role: role, shape: shape, isTrainable: isTrainable, part: part))
  }

  /// Makes zeros of a shape, which take no memory.
  private func placeholder(
    _ role: String, shape: [Int], _ elementType: ElementType?, limit: Int
  ) throws(WeighbridgeError) -> Tensor {
    let count = try Checked.product(shape, of: "the size of the weight \(role)")
    guard count <= limit else {
      throw .malformed("takes a weight \(role) \(shape), which is more than the file holds")
    }
    let type = sharesPlaceholders ? elementType ?? types?.variable : types?.compute
    return Tensor(type ?? .float32, shape: shape.map { _ in 1 }, [0]).broadcast(to: shape)
  }

  /// The shape that the next weight has in the file; `nil` when there is none, or no file yet.
  package var nextWeightShape: [Int]? { unreadWeights.first?.tensor.shape }

  /// Takes the next weight of the file and checks its shape.
  private mutating func takeWeight(
    _ role: String, shape: [Int]
  ) throws(WeighbridgeError) -> Weight {
    guard let weight = unreadWeights.popFirst() else {
      throw .malformed("the weight \(role) \(shape) is missing in the file")
    }
    guard weight.tensor.shape == shape else {
      throw .malformed(
        "the weight \(role) has the shape \(weight.tensor.shape), and the layer takes \(shape)"
      ).at(.path(weight.path))
    }
    return weight
  }

  /// Consumes the next weight, which has no effect at inference, or none in this call.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none or its shape differs.
  package mutating func ignoreWeight(
    _ role: String, shape: [Int], isTrainable: Bool = false
  ) throws(WeighbridgeError) {
    request(path(of: role), shape, isTrainable: isTrainable)
    if placeholderLimit == nil { _ = try takeWeight(role, shape: shape) }
  }

  /// Takes one of the remaining weights, whatever its shape. It is not trained and does not become
  /// a weight of the graph.
  ///
  /// - Parameter position: The number of remaining weights before it.
  /// - Returns: The weight; `nil` while there are no weights yet.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none.
  package mutating func weightOfAnyShape(
    _ role: String, position: Int = 0
  ) throws(WeighbridgeError) -> Tensor? {
    request(path(of: role), nil, isTrainable: false)
    guard !sharesPlaceholders else {
      throw .unsupported(
        "has a weight \(role) whose shape its settings do not tell; a model with weights can be the "
          + "architecture")
    }
    guard placeholderLimit == nil else { return nil }
    guard unreadWeights.count > position else {
      throw .malformed("the weight \(role) is missing in the file")
    }
    return unreadWeights.remove(at: unreadWeights.startIndex + position).tensor
  }

  /// Adds a weight from the settings, not from the file's weights. Calls of a layer share it as long
  /// as it is the same, which one that follows from the input's shape is not.
  ///
  /// - Parameter role: Its role for the operator.
  /// - Returns: The value of the weight in the graph, named `layer/role`.
  package mutating func constant(
    _ role: String, _ tensor: Tensor
  ) throws(WeighbridgeError) -> ValueID {
    let role = path(of: role)
    let isOwned = placeholderLimit == nil || sharesPlaceholders
    let owner = isOwned ? source.layer : source.callName
    if let value = weightValues[role] {
      let isSame =
        network.graph.constant(of: value).map {
          $0.type == tensor.type && $0.contiguousBytes() == tensor.contiguousBytes()
        } ?? false
      return isSame ? value : try network.graph.addConstant(tensor, named: "\(owner)/\(role)")
    }
    let value = try network.graph.addWeight("\(owner)/\(role)", tensor)
    weightValues[role] = value
    return value
  }
}
