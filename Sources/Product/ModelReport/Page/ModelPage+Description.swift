import Bytes
import CoreMLConversion
import GraphIR
import Weighbridge

/// Description, inputs and outputs, origin and decisions.
extension ModelPage {
  /// The most labels that are listed.
  private static let labelLimit = 2_000
  /// The most decisions that are listed.
  private static let decisionLimit = 300

  var description: HTML {
    let license = metadata.license.map { license in
      HTML(escaping: license.text + (license.note.map { " (\($0))" } ?? ""), limit: 1000)
    }
    var pairs: [(String, HTML?)] = [
      ("Name", metadata.name.map { HTML(escaping: $0, limit: 400) }),
      ("Author", metadata.author.map { HTML(escaping: $0, limit: 400) }),
      ("License", license), ("Version", metadata.version.map { HTML(escaping: $0, limit: 200) }),
      ("Description", metadata.summary.map { HTML(escaping: $0, limit: 4000) }),
      ("Detector", metadata.detector.map { HTML(escaping: $0.line, limit: 1000) }),
    ]
    pairs += metadata.userDefined.sorted { $0.key < $1.key }.prefix(200).map { entry in
      (entry.key, HTML(escaping: entry.value, limit: 1000))
    }
    let notes = (inspection.notes + contents).map { note -> HTML in "<p>\(reworded(note))</p>\n" }
    return terms(pairs) + missingMetadata + labels + "\(notes)"
  }

  /// The contents of a Core ML file that are not converted.
  private var contents: [String] { inspection.contents?.lines ?? [] }

  private var missingMetadata: HTML {
    let known: [(String, Bool)] = [
      ("author", metadata.author != nil), ("license", metadata.license != nil),
      ("version", metadata.version != nil), ("description", metadata.summary != nil),
    ]
    let unknown = known.filter { !$0.1 }.map(\.0)
    guard !unknown.isEmpty else { return "" }
    return missing(
      "Not said: \(unknown.joined(separator: ", ")). In a .wbm file \(APIName.editMetadata) adds them."
    )
  }

  private var labels: HTML {
    guard !metadata.labels.isEmpty else {
      return missing(
        "The classes have no names. If the model tells classes apart, \(APIName.labels) names them."
      )
    }
    let items = metadata.labels.prefix(Self.labelLimit).map { label -> HTML in
      "<li>\(HTML(escaping: label, limit: 120))</li>"
    }
    let rest = metadata.labels.count - items.count
    let more: HTML = rest > 0 ? "<p>and \(rest.grouped) more</p>" : ""
    return """
      <details\(metadata.labels.count <= 20 ? " open=\"\"" as HTML : "")>\
      <summary>\(Self.counted(metadata.labels.count, "label"))</summary>\
      <ol start="0">\(items)</ol>\(more)</details>

      """
  }

  var ports: HTML {
    guard !inspection.inputs.isEmpty || !inspection.outputs.isEmpty else {
      return missing("The file does not say what the model takes and gives.")
    }
    var table = PageTable(
      "What the model takes and gives. The first axis of a shape is the outermost one.",
      [.text("Name"), .text("Kind"), .code("Type"), .text("Meaning"), .text("From a picture")])
    for (kind, ports, features) in [
      ("input", inspection.inputs, metadata.inputs),
      ("output", inspection.outputs, metadata.outputs),
    ] {
      for port in ports.prefix(1000) {
        let feature = features.first { $0.name == port.name }
        table.append([
          HTML(escaping: port.name, limit: 200), HTML(escaping: kind),
          HTML(escaping: "\(port.type)", limit: 200),
          HTML(escaping: feature?.summary ?? "", limit: 1000),
          HTML(escaping: feature?.image?.line ?? "", limit: 400),
        ])
      }
    }
    let hasImage = metadata.inputs.contains { $0.image != nil }
    return table.html
      + (hasImage
        ? ""
        : missing(
          "The file does not say that an input takes pictures. If one does, describe it with "
            + "\(APIName.images)."))
  }

  var origin: HTML {
    let provenance = inspection.provenance
    let options = provenance.options.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let version = provenance.frameworkVersion ?? "(version unknown)"
    let backend = provenance.backend.map { " on \($0)" } ?? ""
    let framework = "\(provenance.framework) \(version)\(backend)"
    let pairs: [(String, HTML?)] = [
      ("Framework", provenance.framework.isEmpty ? nil : HTML(escaping: framework, limit: 400)),
      (
        "Converted by",
        provenance.converter.isEmpty ? nil : HTML(escaping: provenance.converter, limit: 200)
      ),
      (
        "Options",
        options.isEmpty ? nil : HTML(escaping: options.joined(separator: "\n"), limit: 4000)
      ),
    ]
    guard !provenance.sources.isEmpty || !provenance.framework.isEmpty else {
      return missing(
        "The file does not say where the model came from. \(APIName.readModel) of the original file "
          + "writes it down.")
    }
    return terms(pairs) + sources(provenance) + decisions(provenance)
  }

  private func sources(_ provenance: Provenance) -> HTML {
    guard !provenance.sources.isEmpty else { return "" }
    var table = PageTable(
      "The files that the model was made of, with the digests of their bytes.",
      [.text("File"), .text("What for"), .number("Bytes"), .code("SHA-256")])
    for source in provenance.sources.prefix(200) {
      table.append([
        HTML(escaping: source.fileName, limit: 300), HTML(escaping: source.role, limit: 100),
        HTML(escaping: source.byteCount.grouped), HTML(escaping: source.sha256.hexadecimal),
      ])
    }
    return table.html
  }

  private func decisions(_ provenance: Provenance) -> HTML {
    let groups = provenance.decisionGroups
    guard !groups.isEmpty else { return "<p>Nothing had to be decided when it was read.</p>\n" }
    let items = groups.prefix(Self.decisionLimit).map { text, layers -> HTML in
      let names = layers.filter { !$0.isEmpty }
      let shown = names.prefix(3).joined(separator: ", ")
      let rest = names.count > 3 ? " and \((names.count - 3).grouped) more" : ""
      let layerList: HTML =
        names.isEmpty
        ? "" : " <span class=\"soft\">(\(HTML(escaping: shown, limit: 300))\(rest))</span>"
      return "<li>\(reworded(text, limit: 600))\(layerList)</li>\n"
    }
    let rest = groups.count - items.count
    let more: HTML = rest > 0 ? "<p>and \(rest.grouped) more</p>" : ""
    return heading(3, "How the source was understood") + "<ul>\(items)</ul>\(more)\n"
  }
}
