package import Bytes

extension [Tensor] {
  /// Makes sure that the tensors' files are as they were when they were opened; called before a
  /// result made from them is put in place.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged`` , with the file.
  /// - Complexity: One system call for each file.
  package func checkSourcesUnchanged() throws(WeighbridgeError) {
    var seen: Set<ObjectIdentifier> = []
    for tensor in self where seen.insert(ObjectIdentifier(tensor.store)).inserted {
      try tensor.store.checkUnchanged()
    }
  }
}
