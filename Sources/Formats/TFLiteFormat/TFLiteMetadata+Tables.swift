import FlatBuffers

extension TFLiteTensorMetadata {
  var table: FlatBufferTable {
    var content = self.content.table
    if let axis {
      content.fields[2] = .table(FlatBufferTable([0: .int(axis), 1: .int(axis)]))
    }
    var table = FlatBufferTable([0: .string(name), 3: .table(content)])
    if let summary { table.fields[1] = .string(summary) }
    if let normalization { table.fields[4] = .tables([normalization.unit]) }
    if !files.isEmpty { table.fields[6] = .tables(files.map(\.table)) }
    return table
  }
}

extension TFLiteTensorMetadata.Content {
  /// `Content`, without a range of axes.
  fileprivate var table: FlatBufferTable {
    switch self {
    case .feature: .union(1, FlatBufferTable())
    case .image(let image): .union(2, image.table)
    case .boxes:
      // The edges left, top, right and bottom are at these places; 1 means boxes by their edges.
      .union(3, FlatBufferTable([0: .ints([1, 0, 3, 2]), 1: .byte(1)]))
    }
  }
}

extension TFLiteImage {
  fileprivate var table: FlatBufferTable {
    var table = FlatBufferTable([0: .byte(colorSpace.rawValue)])
    if let width, let height {
      table.fields[1] = .table(FlatBufferTable([0: .int(width), 1: .int(height)]))
    }
    return table
  }
}

extension TFLiteNormalization {
  /// `ProcessUnit`.
  fileprivate var unit: FlatBufferTable {
    .union(1, FlatBufferTable([0: .floats(means), 1: .floats(deviations)]))
  }
}

extension TFLiteAssociatedFile {
  var table: FlatBufferTable {
    var table = FlatBufferTable([0: .string(name)])
    if let kind { table.fields[2] = .byte(kind.rawValue) }
    if let summary { table.fields[1] = .string(summary) }
    return table
  }
}

extension FlatBufferTable {
  /// A table that begins with a union: the number of a member, and the member.
  fileprivate static func union(_ member: Int, _ table: FlatBufferTable) -> FlatBufferTable {
    FlatBufferTable([0: .byte(member), 1: .table(table)])
  }
}
