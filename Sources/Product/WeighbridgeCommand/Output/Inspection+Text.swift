import CoreMLConversion
import GraphIR
import Weighbridge

extension Inspection {
  /// Returns the inspection as text.
  ///
  /// - Parameter layers: Whether every layer is listed.
  func text(layers showsLayers: Bool) -> String {
    var lines = ["\(path): \(format), \(fileSize.grouped) bytes"]
    for part in [description.lines + coreMLLines, notes.map(\.namingOptions)]
    where !part.isEmpty {
      lines += [""] + part
    }
    if let contents { return (lines + [""] + contents.lines).joined(separator: "\n") }
    if layers.isEmpty { return (lines + weightLines).joined(separator: "\n") }
    lines += ["", "inputs"] + inputs.map { "  \($0.name)  \($0.type)" }
    lines += ["outputs"] + outputs.map { "  \($0.name)  \($0.type)" }
    lines += [
      "",
      "\(layerCount), \(weightCount) weights with \(parameterCount.grouped) parameters "
        + "(\(weightByteCount.grouped) bytes)",
    ]
    if encodings.contains(where: { $0.name != "plain" }) { lines += encodings.map(\.line) }
    if let quantization {
      let counts = [("int8", quantization.int8), ("bfloat16", quantization.bfloat16)]
      for (name, count) in counts where count > 0 {
        lines.append(
          "runs in \(name): \(count) of \(quantization.all) layers that multiply weights")
      }
    }
    lines += compaction?.lines ?? []
    if let cost {
      lines.append(
        "\(cost.operationCount.grouped) floating-point operations and at most "
          + "\(cost.activationByteCount.grouped) bytes of activations for one input")
    }
    let opaqueLayers = layers.filter { $0.kind == "opaque" && problem == nil }.map {
      "\($0.name) (\($0.className))"
    }
    if !opaqueLayers.isEmpty {
      lines.append(
        "cannot run: kept without being understood: \(opaqueLayers.joined(separator: ", "))")
    }
    if showsLayers || problem != nil { lines += ["", layerTable] }
    let problems = layers.compactMap { layer in
      layer.problem.map {
        "  #\(layer.index) \(layer.name) (\(layer.className)): \($0.namingOptions)"
      }
    }
    if !problems.isEmpty { lines += ["", "cannot be converted"] + problems }
    lines += provenanceLines
    for set in references {
      let author = set.author.isEmpty ? "an unnamed author" : set.author
      let layers = set.layerCount > 0 ? " and \(set.layerCount) layers" : ""
      lines.append(
        "reference outputs by \(author): \(set.outputs.joined(separator: ", "))\(layers)")
      lines.append("  \(set.tolerance.summary), \(set.toleranceSource.formatted)")
    }
    return lines.joined(separator: "\n")
  }

  /// The additional lines for a Core ML model.
  private var coreMLLines: [String] {
    var lines: [String] = []
    if let classLabel {
      let probabilities = classLabel.probabilities.map { ", beside the probabilities \($0)" } ?? ""
      lines.append("class label:  \(classLabel.name), \(classLabel.type)\(probabilities)")
    }
    if isUpdatable == true {
      lines.append("updatable:    yes, an app can train it further; how is not converted")
    }
    return lines
  }

  /// The number of nodes, or of layers if only those of the source are known.
  private var layerCount: String {
    "\(layers.count) \(problem == nil ? "node" : "layer")\(layers.count == 1 ? "" : "s")"
  }

  /// The lines for a file with only weights.
  private var weightLines: [String] {
    var table = Table(["weight", "type"])
    for weight in looseWeights { table.append([weight.name, "\(weight.type)"]) }
    let layerSource =
      switch provenance.framework {
      case "darknet": "; the layers are those of its .cfg"
      case "tensorflow", "pytorch": ""
      default: "; the layers are those of a model (--architecture)"
      }
    return [
      "",
      "\(weightCount) weight\(weightCount == 1 ? "" : "s") with \(parameterCount.grouped) parameters "
        + "(\(weightByteCount.grouped) bytes)\(layerSource)",
    ] + (looseWeights.isEmpty ? [] : ["", table.text]) + (problem == nil ? [] : provenanceLines)
  }

  private var layerTable: String {
    var table = Table(
      ["#", "layer", "class", "operator", "output", "parameters"], rightAligned: [0, 5])
    for layer in layers {
      table.append([
        "\(layer.index)", layer.name, layer.className, layer.kind,
        layer.outputs.map { "\($0.shape)" }.joined(separator: " "), layer.parameterCount.grouped,
      ])
    }
    return table.text
  }

  private var provenanceLines: [String] {
    var lines = [""]
    if !provenance.framework.isEmpty {
      let backend = provenance.backend.map { " on \($0)" } ?? ""
      lines.append(
        "from \(provenance.framework) \(provenance.frameworkVersion ?? "(version unknown)")\(backend)"
      )
    }
    for source in provenance.sources {
      lines.append("  \(source.role) \(source.fileName), \(source.byteCount.grouped) bytes")
      lines.append("    sha256 \(source.sha256.hexadecimal)")
    }
    return lines + provenance.decisionLines
  }
}

extension ReferenceSet.ToleranceSource {
  /// The source of a tolerance, as text.
  fileprivate var formatted: String {
    switch self {
    case .standard: "the standard one"
    case .author: "decided by the author"
    case .compaction: "the measured loss of the compaction"
    }
  }
}
