import JSON
import Weighbridge

extension Model {
  /// Explains the inputs of a run and how to make them, for a user who gave none.
  ///
  /// - Parameters:
  ///   - path: The model's file.
  ///   - command: The command line as typed.
  ///   - options: The options to append after the inputs.
  func inputsHelp(_ path: String, command: [String], options: String) -> String {
    let isOne = inputs.count == 1
    let file = isOne ? "input.npy" : "inputs.npz"
    let typed = (["weighbridge"] + command.map(\.shellWord)).joined(separator: " ")
    let lines =
      [
        "say what the model computes on, with --inputs FILE (.npy or .npz); \(path) takes "
          + "\(isOne ? "one array" : "\(inputs.count) arrays"):"
      ]
      + inputs.map { "  \($0.name)  \($0.type)" } + [
        "For example, with zeros in place of your numbers:",
        "  python3 -c 'import numpy as np; \(pythonLine(file))'",
        "  \(typed) --inputs \(file)\(options)",
        "To try the model out without a file:",
        "  \(typed) --inputs random:1\(options)",
        "  \(typed) --inputs ones\(options)",
      ]
    return lines.joined(separator: "\n")
  }

  /// Returns a Python statement that writes arrays of the right names, shapes and types with NumPy.
  private func pythonLine(_ file: String) -> String {
    let zeros = inputs.map { input in
      let sizes = input.type.shape.enumerated().map { axis, size in
        "\(size.value ?? (axis == 0 ? 1 : 32))"
      }
      let shape = sizes.count == 1 ? "(\(sizes[0]),)" : "(\(sizes.joined(separator: ", ")))"
      // NumPy has no bfloat16; elements of another type are rounded to the input's.
      let type = input.type.elementType == .bfloat16 ? .float32 : input.type.elementType
      return "np.zeros(\(shape), \"\(type.rawValue)\")"
    }
    if inputs.count == 1 { return "np.save(\"\(file)\", \(zeros[0]))" }
    let members = zip(inputs, zeros).map { input, zeros in
      let name = JSONValue.string(input.name).text().split(
        separator: "'", omittingEmptySubsequences: false)
      return "\(name.joined(separator: "\\x27")): \(zeros)"  // inside the shell's quotes
    }
    return "np.savez(\"\(file)\", **{\(members.joined(separator: ", "))})"
  }
}

extension String {
  /// The string as a word on a shell's command line.
  fileprivate var shellWord: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "-_./:=,+@%".contains($0) }
    if isPlain, !isEmpty { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
