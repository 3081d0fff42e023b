import ArrayConversion
public import Bytes
public import CoreMLConversion
public import GraphIR
import LayerCatalog
import TensorEncoding

/// The contents of a model file as plain values. `Schemas/inspect.schema.json` gives their names.
public struct Inspection: Sendable {
  /// A step of the model's computation.
  public struct Layer: Hashable, Sendable {
    /// The position, from 0.
    public let index: Int
    /// The name, with the role of the step when a source layer was split into several.
    public let name: String
    /// The class in the source, for example `Conv2D`.
    public let className: String
    /// The operator in the catalog, for example `convolution`; empty for a layer that could not
    /// be imported.
    public let kind: String
    /// The types of its outputs.
    public let outputs: [TensorType]
    /// Whether it can run; a layer that was kept without being understood cannot.
    public var runs: Bool { kind != Opaque.kind && !kind.isEmpty && problem == nil }
    /// The number of elements in weights that no earlier layer uses; 0 if it is not known.
    public let parameterCount: Int
    /// The names of its inputs, if only the layers of the source are known.
    public var inputs: [String] = []
    /// The reason why it cannot be converted; `nil` when it can, or when that is not known.
    public var problem: String?
  }

  /// The weights that are stored in one encoding.
  public struct Encoding: Hashable, Sendable {
    /// The encoding, for example `plain` or `entropy-coded integers`.
    public let name: String
    /// The number of weights.
    public internal(set) var weightCount: Int
    /// The number of their elements.
    public internal(set) var parameterCount: Int
    /// The bytes that they take in the file.
    public internal(set) var byteCount: Int
  }

  /// A set of reference arrays.
  public struct References: Hashable, Sendable {
    /// The author of the outputs.
    public let author: String
    /// The names of the inputs.
    public let inputs: [String]
    /// The names of the outputs.
    public let outputs: [String]
    /// The number of layers that have reference outputs.
    public let layerCount: Int
    /// The tolerance of computed outputs.
    public let tolerance: Tolerance
    /// The source of the tolerance.
    public let toleranceSource: ReferenceSet.ToleranceSource
  }

  /// The file's path as given.
  public let path: String
  /// The file's format, for example `wbm 1.0`.
  public let format: String
  /// The file's size in bytes.
  public let fileSize: Int
  /// The model's metadata.
  public let description: ModelDescription
  /// The model's inputs.
  public private(set) var inputs: [ModelPort] = []
  /// The model's outputs.
  public private(set) var outputs: [ModelPort] = []
  /// The steps, in the order of the computation.
  public private(set) var layers: [Layer] = []
  /// The weights of a file that contains nothing else; empty for a model, whose layers describe
  /// them.
  public private(set) var looseWeights: [ModelPort] = []
  /// The reason why the model cannot be read as a whole; the layers are then those of the source,
  /// with types where they are known. `nil` for a model, and for weights that need another file.
  public private(set) var problem: WeighbridgeError?
  /// Other notes, such as the framework that the names of weights suggest.
  public private(set) var notes: [String] = []
  /// Whether all layers can run; a file of weights alone has none.
  public var runs: Bool { problem == nil && !layers.isEmpty && layers.allSatisfy(\.runs) }
  /// The number of weights.
  public private(set) var weightCount = 0
  /// The total number of elements in all weights.
  public private(set) var parameterCount = 0
  /// The size of all weights in bytes, without encoding.
  public private(set) var weightByteCount = 0
  /// How the weights are stored; empty where that is only known of whole files.
  public var encodings: [Encoding] = []
  /// The record of compacting the weights; `nil` when nothing was lost.
  public var compaction: CompactionRecord?
  /// How many layers are computed with 8-bit integers, how many with bfloat16, and how many multiply
  /// weights with data; `nil` when all are computed with floats.
  public private(set) var quantization: (int8: Int, bfloat16: Int, all: Int)?
  /// The class that a Core ML classifier returns; `nil` for other models.
  public private(set) var classLabel: ClassLabel?
  /// The contents of a Core ML file that is not converted: an ML Program, or a model without a
  /// network. `nil` for models that are. If set, only the description is known in addition.
  public private(set) var contents: CoreMLContents?
  /// Whether a Core ML model can be trained further on the device; `nil` for other formats.
  public private(set) var isUpdatable: Bool?
  /// The cost of a run for one input; `nil` when it depends on unknown sizes.
  public private(set) var cost: ComputationCost?
  /// The model's provenance.
  public private(set) var provenance = Provenance()
  /// The reference arrays.
  public private(set) var references: [References] = []

  /// Inspects a file of any format that Weighbridge reads. For a model that cannot be converted,
  /// and for weights without a model, it contains what is available.
  ///
  /// - Throws: The errors of ``Model/init(contentsOf:options:)-(String,_)``, if there is nothing to
  ///   show.
  /// - Complexity: For `.wbm`, reads the header only, whatever the size of the weights.
  public init(
    of path: String, options: ReadOptions = ReadOptions()
  ) throws(WeighbridgeError) {
    do throws(WeighbridgeError) {
      if options.architecture == nil, options.inputShapes.isEmpty,
        let file = try ModelReader.weightFile(path)
      {
        self.init(file, path: path)
      } else if let contents = try CoreMLContents(of: path) {
        self.init(contents, path: path)
      } else {
        self.init(try Model(contentsOf: path, options: options), path: path)
      }
    } catch {
      guard let outline = ModelReader.outline(path, options: options, refusedBy: error) else {
        throw error
      }
      self.init(outline, path: path, problem: error)
    }
  }

  private init(_ outline: ModelOutline, path: String, problem: WeighbridgeError) {
    self.path = path
    format = outline.format
    fileSize = outline.byteCount
    description = ModelDescription()
    inputs = outline.inputs.map { ModelPort(name: $0.name, type: $0.type) }
    outputs = outline.outputs.map { ModelPort(name: $0.name, type: $0.type) }
    layers = outline.layers.enumerated().map { index, layer in
      Layer(
        index: index, name: layer.name, className: layer.className, kind: layer.kind,
        outputs: layer.outputs, parameterCount: layer.parameterCount ?? 0, inputs: layer.inputs,
        problem: layer.problem)
    }
    let weights = outline.weights.map { ModelPort(name: $0.name, type: $0.type) }
    looseWeights = layers.isEmpty ? weights : []
    weightCount = weights.count
    (parameterCount, weightByteCount) = outline.weightSize
    provenance = outline.provenance
    self.problem = problem
    notes = outline.notes
  }

  private init(_ file: WeightFile, path: String) {
    self.path = path
    format = file.format.rawValue
    fileSize = file.byteCount
    description = file.description
    looseWeights = file.weights.map { ModelPort(name: $0.name, type: $0.tensor.type) }
    weightCount = file.weights.count
    parameterCount = file.weights.reduce(0) { $0 + $1.tensor.count }
    weightByteCount = file.weights.reduce(0) { $0 + $1.tensor.byteCount }
    notes = file.notes
  }

  private init(_ contents: CoreMLContents, path: String) {
    self.path = path
    format = "coreml \(contents.kind)"
    fileSize = contents.fileSize
    description = contents.description
    classLabel = contents.classLabel
    isUpdatable = contents.isUpdatable
    self.contents = contents
    provenance.framework = "coreml"
    provenance.frameworkVersion = "specification \(contents.specificationVersion)"
  }

  package init(_ model: Model, path: String) {
    self.path = path
    format = model.origin.source.formatName
    fileSize = model.origin.source.byteCount
    description = model.metadata
    inputs = model.inputs
    outputs = model.outputs
    layers = Self.layers(model.content.graph)
    let weights = model.content.graph.weights
    weightCount = weights.count
    parameterCount = model.content.graph.parameterCount
    weightByteCount = weights.reduce(0) { $0 + $1.tensor.byteCount }
    encodings = Self.encodings(weights.map(\.tensor))
    compaction = model.content.compaction
    quantization = Self.quantization(model.content.graph)
    cost = ComputationCost(model.content.graph)
    let coreML = model.origin.source as? CoreMLSource
    (classLabel, isUpdatable) = (coreML?.classLabel, coreML?.isUpdatable)
    provenance = model.provenance
    references = model.references.map { set in
      References(
        author: set.author, inputs: set.inputs.map(\.name), outputs: set.outputs.map(\.name),
        layerCount: set.layers.count, tolerance: set.tolerance,
        toleranceSource: set.toleranceSource)
    }
  }

  private static func quantization(_ graph: Graph) -> (int8: Int, bfloat16: Int, all: Int)? {
    let (integers, bfloat16) = graph.quantizedLayerCounts
    guard integers + bfloat16 > 0 else { return nil }
    let all = graph.nodes.count { $0.operation is any WeightMultiplyingOperator }
    return (integers, bfloat16, all)
  }

  /// Returns the encodings of weights, the one that takes the most bytes first.
  private static func encodings(_ weights: [Tensor]) -> [Encoding] {
    var all: [String: Encoding] = [:]
    for weight in weights {
      let name = weight.encodedElements?.encoding.title ?? "plain"
      var encoding =
        all[name] ?? Encoding(name: name, weightCount: 0, parameterCount: 0, byteCount: 0)
      encoding.weightCount += 1
      encoding.parameterCount += weight.count
      encoding.byteCount += weight.storedByteCount
      all[name] = encoding
    }
    return all.values.sorted { ($1.byteCount, $0.name) < ($0.byteCount, $1.name) }
  }

  private static func layers(_ graph: Graph) -> [Layer] {
    var visited: Set<ValueID> = []
    return graph.nodes.enumerated().map { index, node in
      let newInputs = node.inputs.filter { visited.insert($0).inserted }
      return Layer(
        index: index, name: node.name, className: node.source.className,
        kind: node.operation.kind, outputs: node.outputs.map { graph[$0].type },
        parameterCount: newInputs.reduce(0) { $0 + (graph[$1].constant?.count ?? 0) })
    }
  }
}
