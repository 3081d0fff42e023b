public import Bytes
public import GraphIR

/// A trained model: its computation, its metadata, and its provenance.
///
/// ```swift
/// var model = try Model(contentsOf: "tinyyolo.h5")
/// try model.describe(edit)
/// try model.write(to: "tinyyolo.wbm")
/// let report = try Model(contentsOf: "tinyyolo.wbm").verify()
/// ```
///
/// A model is a value; its weights are shared and, where the file allows it, stay in the mapped
/// file until they are needed.
public struct Model: Sendable {
  package var content: ModelContent
  package let origin: ReadModel
  /// Whether it is a part of the model that was read.
  package var isPart = false

  /// Reads a model in any format that Weighbridge knows; the format is determined from the content.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: Settings that the file does not contain.
  /// - Throws: ``WeighbridgeError/Code/missing`` when a file does not exist,
  ///   ``WeighbridgeError/Code/malformed`` when its bytes are invalid,
  ///   ``WeighbridgeError/Code/damaged`` or ``WeighbridgeError/Code/truncated`` when they were
  ///   changed or cut off, ``WeighbridgeError/Code/unsupported`` when it needs something that
  ///   Weighbridge cannot do, ``WeighbridgeError/Code/limitExceeded``.
  /// - Complexity: For `.wbm` independent of the size of the weights: one mapping and the header.
  public init(
    contentsOf path: String, options: ReadOptions = ReadOptions()
  ) throws(WeighbridgeError) {
    origin = try ModelReader.read(path, options: options)
    content = origin.content
  }

  /// The model's metadata.
  public var metadata: ModelDescription { content.description }

  /// The former name of ``metadata``.
  @available(*, deprecated, renamed: "metadata")
  public var description: ModelDescription { content.description }

  /// The model's provenance, and how its source was interpreted.
  public var provenance: Provenance { content.provenance }

  /// Inputs with reference outputs for them.
  public var references: [ReferenceSet] { content.references }

  /// The model's inputs, in order.
  public var inputs: [ModelPort] { content.graph.inputs.map { ModelPort($0, content.graph) } }

  /// The model's outputs, in order.
  public var outputs: [ModelPort] { content.graph.outputs.map { ModelPort($0, content.graph) } }

  /// Applies a user's changes to the description: new names first, then everything else under the
  /// new names.
  ///
  /// - Parameter edit: The changes; everything else is kept.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a name is unknown, or labels, anchors or
  ///   image settings do not fit the model's shapes; the model is then unchanged.
  public mutating func describe(_ edit: DescriptionEdit) throws(WeighbridgeError) {
    var changed = content
    try changed.apply(edit)
    content = changed
  }
}

/// An input or output of a model.
public struct ModelPort: Hashable, Sendable {
  /// The name, unique among the inputs and among the outputs.
  public let name: String
  /// The element type and the axes, outermost first, in the source's order: a Keras image is
  /// `[batch, height, width, channels]`. Some sizes may be unknown until the model runs.
  public let type: TensorType

  init(name: String, type: TensorType) {
    self.name = name
    self.type = type
  }

  package init(_ port: Port, _ graph: Graph) {
    name = port.name
    type = graph[port.value].type
  }
}
