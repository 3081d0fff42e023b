import Bytes

/// The tensors of the object in a file, by name: those of a dictionary of tensors, or of the one in a
/// checkpoint that has the weights.
struct PyTorchStateDictionary {
  /// Under what name programs put the weights into a checkpoint.
  private static let usualKeys = [
    "state_dict", "model_state_dict", "model_state", "model", "net", "weights", "params", "module",
  ]
  /// What `DataParallel` puts before each name.
  private static let parallelPrefix = "module."

  private(set) var tensors: [(name: String, view: PyTorchView)] = []
  private(set) var notes: [String] = []

  init(_ root: PickleValue, _ reader: PickleReader) throws(WeighbridgeError) {
    guard case .dictionary(let number) = root else {
      throw .unsupported("holds \(root.title), expected a dict of tensors by name")
    }
    let entries = reader.dictionaries[number].entries
    tensors = Self.tensors(entries)
    if tensors.isEmpty {
      let nested = entries.compactMap { entry -> (name: String, number: Int)? in
        guard case .text(let name) = entry.key, case .dictionary(let number) = entry.value,
          !Self.tensors(reader.dictionaries[number].entries).isEmpty
        else { return nil }
        return (name, number)
      }
      let named = nested.filter { Self.usualKeys.contains($0.name) }
      let candidates = nested.count == 1 ? nested : named
      guard candidates.count == 1, let chosen = candidates.first else {
        throw .unsupported(
          "holds no dict of tensors by name, or several: \(Self.list(entries)); save one alone: "
            + "torch.save(model.state_dict(), FILE)")
      }
      tensors = Self.tensors(reader.dictionaries[chosen.number].entries)
      notes.append(
        "the weights are those of \(chosen.name); the rest of the checkpoint is not read")
    } else if tensors.count < entries.count {
      notes.append("\(entries.count - tensors.count) entries that are no tensors are not read")
    }
    if tensors.allSatisfy({ $0.name.hasPrefix(Self.parallelPrefix) }) {
      tensors = tensors.map { (String($0.name.dropFirst(Self.parallelPrefix.count)), $0.view) }
      notes.append("the names begin with module., which DataParallel puts there, and is left out")
    }
  }

  private static func tensors(
    _ entries: [(key: PickleDictionary.Key, value: PickleValue)]
  ) -> [(name: String, view: PyTorchView)] {
    entries.compactMap { entry in
      guard case .text(let name) = entry.key, case .tensor(let view) = entry.value else {
        return nil
      }
      return (name, view)
    }
  }

  /// The names of the first entries.
  private static func list(
    _ entries: [(key: PickleDictionary.Key, value: PickleValue)]
  ) -> String {
    let names = entries.prefix(8).map { entry in
      switch entry.key {
      case .text(let text): "\(text) (\(entry.value.title))"
      case .integer(let integer): "\(integer) (\(entry.value.title))"
      }
    }
    return names.isEmpty ? "it is empty" : names.joined(separator: ", ")
  }
}
