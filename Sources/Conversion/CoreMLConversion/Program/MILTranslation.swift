import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// A model as the contents of a Core ML package.
struct MILTranslation {
  /// Everything but the elements of the weights.
  let model: CoreMLModel
  /// The constants of the file beside it, and where they are in it.
  let layout: MILLayout
  /// What the package lacks or stores in another form, as messages.
  let losses: [String]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that Core ML cannot express;
  ///   ``WeighbridgeError/Code/mismatch`` for a kind that the model cannot be.
  init(
    _ content: ModelContent, options: CoreMLPackageOptions, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) {
    let version = options.deployment.specificationVersion
    let source = try CoreMLExportSource(
      content, CoreMLPackageExporter.passes(options), MILOperators.table, withNMS: options.withNMS,
      sizes: options.sizes)
    let interface = try MILInterface(source, kind: try source.kind(options.kind))
    let isHalf = options.precision == .float16
    var builder = MILBuilder(
      version: version, floatType: isHalf ? .float16 : .float32,
      reserved: interface.inputNames + interface.outputNames,
      exceptions: isHalf ? try MILPrecision(source.graph, content, cancellation) : MILPrecision())
    let inputs = try interface.addInputs(to: &builder)
    let computed = try builder.emit(
      source.graph, inputs: inputs, types: source.types, groups: ExportGroups())
    let results = try interface.pixels(computed, in: &builder)
    let newNames = try interface.nameOutputs(results, in: &builder)
    var layout = MILLayout(builder)
    layout.add(builder.nodes.needed(for: interface.outputNames, renaming: newNames), newNames)
    let (classification, outputs) = interface.classification
    let function = MILFunction(
      name: "main", inputs: interface.inputNames.map { layout.namedType($0) },
      opset: "CoreML\(version - 1)",
      block: MILBlock(outputs: outputs, operations: layout.operations + classification))
    let network = CoreMLModel(
      specificationVersion: version, description: interface.description,
      content: .program(MILProgram(functions: [function])))
    self.layout = layout
    let metadata = CoreMLMetadata(
      source.description, content.provenance, returnsBoxes: source.detector != nil,
      names: interface.ownNames)
    var losses = source.losses + interface.losses + layout.widened.losses
    if let detector = source.detector {
      let detection = CoreMLDetection(detector, labels: source.description.labels)
      model = detection.pipeline(network, metadata: metadata)
      losses += detection.losses
    } else {
      var described = network
      described.description.metadata = metadata
      model = described
    }
    if isHalf {
      losses.append("it computes in float16 (\(APIName.exportPrecision))")
    }
    losses += builder.wideLayers.map {
      "\($0) is computed in float32, since numbers of it do not fit in float16"
    }
    losses += builder.exactLayers.map {
      "\($0) is computed in float32, since float16 is too coarse or too small for it"
    }
    self.losses = losses
  }
}
