import Bytes
import GraphIR
import JSON
import LayerCatalog

/// Layers of TensorFlow Addons that no Keras layer took over under the same name.
extension WellKnownLayers {
  /// `Addons>GELU(approximate=True)`, which passes masks on.
  static let addonsGELU: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let input = try layer.onlyInput(inputs)
    let isApproximate = try layer.flag("approximate", default: true)
    layer.decideOnce("is read as TensorFlow Addons' layer: GELU")
    let outputs = try layer.add(GELU(isApproximate: isApproximate), [input])
    layer.setMask(layer.mask(of: input), of: outputs[0])
    return outputs
  }

  /// `Addons>WeightNormalization(layer, data_init=True)`: the kernel is divided by its length along
  /// all axes but the last, and multiplied by g.
  static let weightNormalization: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    let form = layer.take("layer")
    let hasClone = try layer.flag("data_init", default: true)
    let (className, _) = try layer.unwrap(form)
    let supported = ["Dense", "Conv1D", "Conv2D", "Conv3D"]
    guard supported.contains(className), type.elementType == .float32 else {
      throw .unsupported(
        "normalizes the weights of \(className) on \(type); "
          + "\(supported.joined(separator: ", ")) in float32 are supported")
    }
    try layer.normalizeKernel(hasClone: hasClone)
    layer.decideOnce(
      "is read as TensorFlow Addons' layer: \(className) with its kernel times g / |kernel|")
    return try KerasMappings.builder(of: className)(&layer, inputs)
  }
}

extension KerasLayer {
  /// Replaces the weights of a weight normalization by those of the layer that it wraps.
  ///
  /// - Parameter hasClone: Whether copies of the layer's weights, from which it was initialized,
  ///   follow.
  fileprivate mutating func normalizeKernel(hasClone: Bool) throws(WeighbridgeError) {
    guard placeholderLimit == nil else {
      throw .unsupported("has weights that are not listed by name")
    }
    var (own, g, kernel): ([Weight], Tensor?, Int?) = ([], nil, nil)
    var (copyCount, isInitialized) = (0, false)
    for weight in unreadWeights {
      if weight.path.contains("data_dep_init/") {
        copyCount += 1
      } else if weight.localName == "g", g == nil {
        g = weight.tensor
      } else if weight.localName == "initialized" {
        isInitialized = weight.tensor.doubles == [1]
      } else {
        if weight.localName == "kernel" { kernel = own.count }
        own.append(weight)
      }
    }
    guard let kernel, let g, copyCount == (hasClone ? own.count : 0),
      g.shape == [own[kernel].tensor.shape.last ?? 0]
    else {
      let names = unreadWeights.map(\.localName).joined(separator: ", ")
      throw .unsupported(
        "has the weights \(names), and Addons' layer has kernel, g and initialized")
    }
    guard isInitialized else {
      throw .unsupported("has not been run yet, and would take its weights from its first batch")
    }
    let weight = own[kernel]
    own[kernel] = Weight(
      path: weight.path, tensor: Self.normalized(weight.tensor, g), localName: weight.localName)
    unreadWeights = own[...]
  }

  /// A kernel with vectors of length g along its last axis.
  private static func normalized(_ kernel: Tensor, _ g: Tensor) -> Tensor {
    var (elements, lengths) = (kernel.doubles, g.doubles)
    let count = lengths.count
    var squares = [Double](repeating: 0, count: count)
    for (index, element) in elements.enumerated() { squares[index % count] += element * element }
    for index in lengths.indices { lengths[index] /= max(squares[index], 1e-12).squareRoot() }
    for index in elements.indices { elements[index] *= lengths[index % count] }
    return Tensor(kernel.elementType, shape: kernel.shape, elements)
  }
}
