import GraphIR
import WBMFormat

extension WBMProvenance {
  /// The record of a model's provenance.
  init(_ provenance: Provenance) {
    self.init(
      sources: provenance.sources.map {
        WBMSource(name: $0.fileName, role: $0.role, sha256: $0.sha256, byteCount: $0.byteCount)
      },
      framework: provenance.framework.isEmpty ? nil : provenance.framework,
      frameworkVersion: provenance.frameworkVersion, backend: provenance.backend,
      writer: provenance.converter,
      options: provenance.options.sorted { $0.key < $1.key }.map {
        WBMKeyValue(key: $0.key, value: $0.value)
      },
      decisions: provenance.decisions.map { WBMDecision(layer: $0.layer, text: $0.text) })
  }

  /// The provenance that is stored.
  var provenance: Provenance {
    var result = Provenance()
    result.sources = sources.map {
      .init(fileName: $0.name, role: $0.role, byteCount: $0.byteCount, sha256: $0.sha256)
    }
    result.framework = framework ?? ""
    result.frameworkVersion = frameworkVersion
    result.backend = backend
    result.converter = writer
    for option in options { result.options[option.key] = option.value }
    result.decisions = decisions.map { .init(layer: $0.layer, text: $0.text) }
    return result
  }
}
