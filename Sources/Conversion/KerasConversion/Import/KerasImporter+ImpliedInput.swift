import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The input of a Sequential without an InputLayer.
extension KerasImporter {
  /// Adds it with the input shape of the first layer, or of that layer's first layer where it is a
  /// model. Where the model was never given a shape, the shape follows from the weights and the
  /// user's options.
  mutating func addImpliedInput(_ model: KerasModelRecord) throws(WeighbridgeError) -> ValueID {
    let first = model.layers[0]  // a model without layers is refused where it is read
    let name = Self.impliedInputName(model)
    return try locating({ $0.at(layer: Self.label(first, "")) }) { () throws(WeighbridgeError) in
      let elementType = try Self.firstType(first)
      let written = try Self.inputShape(first) ?? model.buildInputShape ?? first.buildInputShape
      if let written {
        return try addInput(name, Self.type(shape: written, elementType, name: name))
      }
      let sizes = try sizes(of: name, model)
      let shape = JSONValue.array([.null] + sizes.map { $0.map { .integer($0) } ?? .null })
      return try network.graph.addInput(name, Self.type(shape: shape, elementType, name: name))
    }
  }

  /// The name of such an input.
  static func impliedInputName(_ model: KerasModelRecord) -> String {
    "\(model.layers.first?.name ?? "")_input"
  }

  /// The sizes after the batch that follow from the weights and the user's options together.
  private mutating func sizes(
    of name: String, _ model: KerasModelRecord
  ) throws(WeighbridgeError) -> [Int?] {
    let evidence = try shapeEvidence(model)
    if let given = stated[name] {
      let known = evidence.sizes(count: given.dimensions.count)
      guard let sizes = known.flatMap({ StatedShapes.merged(given.dimensions, with: $0) }) else {
        throw .mismatch(
          "the input shape \(given.text) was given for \(name), and the weights of "
            + "\(evidence.layer) say that \(evidence.phrase)")
      }
      noteStated(given)
      return sizes
    }
    guard case .sizes(let sizes) = evidence.shape else {
      throw .unsupported(
        "the model was never given an input shape: "
          + evidence.request(for: name, flattened: flattened(model)))
    }
    network.decide(
      "",
      "the file states no input shape; by the weights of \(evidence.layer) it is "
        + "\(InputShape.text(sizes)), without the batch axis")
    if sizes.contains(nil) {
      inputNote =
        "the model was never given an input shape; by the weights of \(evidence.layer) it is "
        + "\(InputShape.text(sizes)), without the batch axis"
        + (flattened(model).map { ", and \($0.layer) takes \($0.count) numbers made of it" } ?? "")
        + "; give the rest, as with \(APIName.inputShapes) \(name)=\(evidence.example)"
    }
    return sizes
  }

  /// The first dense layer after a flattening, and its number of inputs.
  private func flattened(_ model: KerasModelRecord) -> (layer: String, count: Int)? {
    let remaining = model.layers.drop { $0.className != "Flatten" }
    guard let dense = remaining.first(where: { $0.className == "Dense" }),
      let kernel = weights[dense.name]?.first?.tensor.shape, kernel.count == 2
    else { return nil }
    return (dense.name, kernel[0])
  }

  /// What the weights of a Sequential imply about the shape of its input.
  private func shapeEvidence(_ model: KerasModelRecord) throws(WeighbridgeError) -> ShapeEvidence {
    var steps: [ShapeStep] = []
    var pending = Array(model.layers.map { (record: $0, path: $0.name) }.reversed())
    // The weights of nested models that are stored in one list, by the path of the layer whose
    // weights come first.
    var lists: [String: [KerasLayer.Weight]] = [:]
    while let (record, path) = pending.popLast() {
      let written = weights[path] ?? lists[path] ?? []
      if record.isModel {
        if let shape = try Self.inputShape(record)?.array, !shape.isEmpty {
          return ShapeEvidence(
            .sizes(shape.dropFirst().map(\.integer)), by: path, after: steps)
        }
        let layers = try KerasModelRecord(nestedIn: record).layers
        if !layers.contains(where: { $0.config["trainable"] == .bool(false) }) {
          lists["\(path)/\(layers[0].name)"] = written
        }
        pending += layers.map { ($0, "\(path)/\($0.name)") }.reversed()
        continue
      }
      let form = try form(of: record).record
      if let step = ShapeStep(form) {
        steps.append(step)
      } else {
        let kernel = try (dialect?.weights(written, of: record) ?? written).first
        let shape = try ShapeEvidence.Shape(form, kernel: kernel?.tensor.shape ?? [])
        return ShapeEvidence(shape ?? .unknown, by: path, after: steps)
      }
    }
    return ShapeEvidence(.unknown, by: model.layers.last?.name ?? "", after: steps)
  }
}

extension KerasImporter {
  /// The names of the inputs of the whole model.
  static func inputNames(_ model: KerasModelRecord) -> [String] {
    model.isSequential && model.inputs.isEmpty
      ? [impliedInputName(model)] : model.inputs.map(\.layer)
  }

  /// Adds an input with the stated shape.
  mutating func addInput(_ name: String, _ type: TensorType) throws(WeighbridgeError) -> ValueID {
    let whole = try stated.applied(to: type, of: name)
    if whole != type, let given = stated[name] { noteStated(given) }
    return try network.graph.addInput(name, whole)
  }

  /// Records that the stated shape may be the cause when a layer does not accept the input.
  private mutating func noteStated(_ shape: InputShape) {
    inputNote = "the input shape \(shape) was given, and may be another than the model's"
    isShapeStated = true
  }

  /// Adds the possible cause to an error that is found after the inputs.
  func noted(_ error: WeighbridgeError) -> WeighbridgeError {
    guard let inputNote, error.code == .malformed || error.code == .unsupported else {
      return error
    }
    let code = isShapeStated && error.code == .malformed ? .mismatch : error.code
    return WeighbridgeError(code, "\(error.reason); \(inputNote)", place: error.place)
  }
}
