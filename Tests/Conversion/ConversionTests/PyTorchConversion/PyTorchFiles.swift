import Bytes
import Foundation
import SafetensorsFormat
import TestSupport
import Weighbridge

/// The text of an exported module, and the names of its weights.
struct PyTorchFiles {
  let text: String
  /// The names of the weights, in the order of the file.
  let names: [String]
  let weights: SafetensorsFile
  /// What the files lack of the model.
  let notes: [String]

  init(_ report: ExportReport) throws {
    text = String(decoding: try Files.read(report.files[0]), as: UTF8.self)
    weights = try ByteStore(Array(Files.read(report.files[1]))).withBytes {
      (bytes) throws(WeighbridgeError) in try SafetensorsFile(bytes)
    }
    names = weights.tensors.map(\.name)
    notes = report.notes
  }

  /// The lines of the file, without their indents.
  var lines: [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The members that the constructors make: submodules, parameters and buffers.
  private var members: Set<String> {
    Set(
      lines.compactMap { line in
        if line.hasPrefix("self.register_buffer(\"") {
          return line.split(separator: "\"").dropFirst().first.map(String.init)
        }
        guard line.hasPrefix("self."), let name = line.firstMatch(of: #/^self\.(\w+) = /#) else {
          return nil
        }
        return String(name.1)
      })
  }

  /// What is wrong with the files; `nil` if each part of each weight's name, except the last of a
  /// module's own, is made in a constructor.
  var problem: String? {
    let members = members
    for name in names {
      let parts = name.split(separator: ".").map(String.init)
      let made = parts.count == 1 ? parts : parts.dropLast()
      if let part = made.first(where: { !members.contains($0) }) {
        return "the weight \(name) belongs to \(part), which the module does not have"
      }
    }
    let used = Set(text.matches(of: #/self\.(\w+)/#).map { String($0.1) })
    let isMethod = ["step", "training"]
    if let unknown = used.first(where: { !members.contains($0) && !isMethod.contains($0) }) {
      return unknown == "register_buffer"
        ? nil : "the module uses \(unknown), which it does not have"
    }
    return nil
  }
}
