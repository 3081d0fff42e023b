/// The regions of a plan that can be in the caller's memory instead of the arena.
struct BorrowedMemory: Sendable {
  /// A region and its offset in the array.
  struct Part: Sendable {
    let region: Int
    let offset: Int
  }

  /// For each input, the region that is the whole array and those that are parts of it.
  let inputs: [[Part]]
  /// The same for each output; empty for an output that shares memory with other values and must be
  /// copied.
  let outputs: [[Part]]

  /// - Parameters:
  ///   - inputs: The inputs, which nothing overwrites; `nil` for one that does not exist.
  ///   - outputs: The outputs, in row-major order.
  ///   - regions: All regions of the plan.
  init(inputs: [StoredTensor?], outputs: [StoredTensor], regions: [ArenaLayout.Region]) {
    var assigned: Set<Int> = []
    func parts(_ tensor: StoredTensor?) -> [Part] {
      guard let tensor, case .region(let region) = tensor.storage.memory,
        tensor.storage.offset == 0, regions[region].parent == nil,
        regions[region].byteCount == tensor.byteCount, assigned.insert(region).inserted
      else { return [] }
      var parts = [Part(region: region, offset: 0)]
      // Nested parts have lower indices than their parents.
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
