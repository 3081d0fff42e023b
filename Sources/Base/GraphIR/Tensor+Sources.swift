package import Bytes

extension [Tensor] {
  /// Checks that the tensors' files have not changed since they were opened. To be called before a
  /// result that was computed from them replaces a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged`` with the file.
  /// - Complexity: One system call for each file.
  package func checkSourcesUnchanged() throws(WeighbridgeError) {
    var seen: Set<ObjectIdentifier> = []
    for tensor in self where seen.insert(ObjectIdentifier(tensor.store)).inserted {
      try tensor.store.checkUnchanged()
    }
  }
}
