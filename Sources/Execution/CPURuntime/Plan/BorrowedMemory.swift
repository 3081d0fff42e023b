/// Which regions of a plan can lie in memory of the caller's in place of the arena.
struct BorrowedMemory: Sendable {
  /// A region and where it begins in the array.
  struct Part: Sendable {
    let region: Int
    let offset: Int
  }

  /// For each input, the region that is the whole array and those that are parts of it.
  let inputs: [[Part]]
  /// The same for each output; nothing for one that shares memory with something else, and must be
  /// copied.
  let outputs: [[Part]]

  /// - Parameters:
  ///   - inputs: The inputs, which nothing overwrites; `nil` for one that does not exist.
  ///   - outputs: The outputs, in row-major order.
  ///   - regions: All regions of the plan.
  init(inputs: [StoredTensor?], outputs: [StoredTensor], regions: [ArenaLayout.Region]) {
    var taken: Set<Int> = []
    func parts(_ tensor: StoredTensor?) -> [Part] {
      guard let tensor, case .region(let region) = tensor.storage.memory,
        tensor.storage.offset == 0, regions[region].parent == nil,
        regions[region].byteCount == tensor.byteCount, taken.insert(region).inserted
      else { return [] }
      var parts = [Part(region: region, offset: 0)]
      // A part of a part comes before it.
      for index in regions.indices.reversed() {
        guard let parent = regions[index].parent,
          let whole = parts.first(where: { $0.region == parent.region })
        else { continue }
        parts.append(Part(region: index, offset: whole.offset + parent.offset))
      }
      return parts
    }
    self.inputs = inputs.map(parts)
    self.outputs = outputs.map(parts)
  }
}
