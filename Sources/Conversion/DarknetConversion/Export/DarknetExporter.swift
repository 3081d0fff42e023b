package import Bytes
package import ConversionCore
import DarknetFormat
package import GraphIR

/// Writes a `.cfg` file and a `.weights` file next to it.
///
/// The sections of a model that came from darknet are recovered, and must result in the same
/// operators when they are read again. Any other model is translated operator by operator
/// (``DarknetOperators``).
package enum DarknetExporter: Exporter {
  package static let keepsEncodings = false

  package static func write(
    _ content: ModelContent, to path: String, options: DarknetOptions, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport {
    let isFromDarknet = content.provenance.framework == "darknet"
    let originalFork = content.provenance.options["darknet"].flatMap(DarknetFork.init)
    var plan =
      isFromDarknet
      ? try DarknetSectionRecovery.plan(
        content, fork: options.darknet ?? originalFork ?? .alexeyab)
      : try DarknetTranslation.plan(content, fork: options.darknet)
    plan.losses += losses(content)
    return ExportReport(
      files: try write(plan, to: path, writing), losses: plan.losses)
  }

  /// Writes both files; the `.cfg` appears last.
  private static func write(
    _ plan: DarknetPlan, to path: String, _ writing: WriteOptions
  ) throws(WeighbridgeError) -> [String] {
    let writer = try DarknetWeightsWriter(plan)
    let weightsPath = FilePath(path).replacingExtension("weights")
    guard weightsPath != path else {
      throw .outputFailed("is the name of the weights that go beside the .cfg").at(file: path)
    }
    try writing.checkReplacing([path, weightsPath])
    var configuration = try AtomicFile(path: path)
    try unsafe configuration.append(Array(plan.text.utf8).span.bytes)
    var weights = try AtomicFile(path: weightsPath)
    try writer.write(to: &weights, writing.cancellation)
    try weights.commit(replacing: !writing.noClobber)
    try configuration.commit(replacing: !writing.noClobber)
    return [path, weightsPath]
  }

  /// The parts of the description that darknet's files cannot contain.
  private static func losses(_ content: ModelContent) -> [String] {
    let description = content.description
    let parts: [(name: String, isPresent: Bool)] = [
      ("author", description.author != nil), ("license", description.license != nil),
      ("version", description.version != nil), ("description", description.summary != nil),
      ("note on the license", description.license?.note != nil),
      (
        "descriptions of inputs and outputs",
        (description.inputs + description.outputs).contains { $0.summary != nil }
      ),
      ("cropping of images", description.inputs.contains { $0.image?.resize == .centerCrop }),
      ("labels (darknet reads them from a .names file)", !description.labels.isEmpty),
      ("further metadata", !description.userDefined.isEmpty),
      ("reference arrays", !content.references.isEmpty),
    ]
    var losses = parts.filter(\.isPresent).map {
      "the \($0.name) of the model are not in darknet's files"
    }
    if let image = description.inputs.first?.image,
      image.colorOrder == .bgr || image.bias.contains(where: { $0 != 0 })
        || Float(image.scale) != Float(1.0 / 255)
    {
      losses.append("darknet gives every image as red, green, blue divided by 255")
    }
    return losses
  }
}
