import Bytes
package import ConversionCore
import DarknetFormat
import GraphIR

extension DarknetSource {
  /// Returns the sections of the file, with the types of their outputs up to the first section that
  /// cannot be read.
  package func outline() -> ModelOutline {
    var outline = ModelOutline(format: "darknet", byteCount: files[0].store.count)
    outline.provenance.framework = "darknet"
    for (position, section) in configuration.sections.enumerated().dropFirst() {
      let name = DarknetSections.name(section.name)
      var layer = ModelOutline.Layer(
        name: "\(position - 1)_\(name)", className: "[\(section.name)]",
        inputs: section.options.filter { ["from", "layers"].contains($0.key) }.map(\.text),
        label: "#\(position - 1) [\(section.name)]", unit: position)
      layer.sources = position > 1 ? [position - 1] : []
      if DarknetSections.all[name] == nil { layer.problem = "is a section that is not known" }
      outline.layers.append(layer)
    }
    let fork = DarknetForkChoice(configuration, given: options.darknet).fork
    outline.provenance.options["darknet"] = fork.rawValue
    outline.attemptImport { (units) throws(WeighbridgeError) in
      let last = units.max() ?? 0
      let importer = DarknetImporter(
        configuration: DarknetConfiguration(
          sections: Array(configuration.sections[...last])), fork: fork,
        isStrict: options.strict, trees: trees)
      return try importer.run(.recording()).graph
    }
    if let last = outline.layers.last, let type = last.outputs.first {
      outline.outputs = [(last.name, type)]
    }
    return outline
  }
}
