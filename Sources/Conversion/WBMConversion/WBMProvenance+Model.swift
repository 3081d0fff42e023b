import GraphIR
import WBMFormat

extension WBMProvenance: DescriptionRecord {
  static let empty = Provenance()

  mutating func transfer(_ described: inout Provenance, _ direction: Transfer) {
    direction.records(&sources, &described.sources)
    direction.string(&framework, &described.framework)
    direction.value(&frameworkVersion, &described.frameworkVersion)
    direction.value(&backend, &described.backend)
    direction.value(&writer, &described.converter)
    direction.pairs(&options, &described.options)
    direction.records(&decisions, &described.decisions)
  }
}

extension WBMSource: DescriptionRecord {
  static let empty = Provenance.Source(fileName: "", role: "", byteCount: 0, sha256: [])

  mutating func transfer(_ described: inout Provenance.Source, _ direction: Transfer) {
    direction.value(&name, &described.fileName)
    direction.value(&role, &described.role)
    direction.value(&sha256, &described.sha256)
    direction.value(&byteCount, &described.byteCount)
  }
}

extension WBMDecision: DescriptionRecord {
  static let empty = Provenance.Decision(layer: "", text: "")

  mutating func transfer(_ described: inout Provenance.Decision, _ direction: Transfer) {
    direction.value(&layer, &described.layer)
    direction.value(&text, &described.text)
  }
}
