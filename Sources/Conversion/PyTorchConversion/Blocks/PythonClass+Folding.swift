import GraphIR

extension PythonClass {
  /// Returns the class with each block that it repeats as a class of its own, which come first.
  func folded() -> [PythonClass] {
    var (network, classes) = (self, [PythonClass]())
    var names = PythonNames(reserved: [name] + members.map(\.name))
    var replacements: [(region: PythonRegion, member: Int)] = []
    let statements = methods[0].statements
    for occurrences in PythonBlocks(self).occurrences() {
      let isSum = statements[occurrences[0].range].contains { statement in
        statement.expression.text { _ in "" }.contains(" + ") && statement.inputs.count > 1
      }
      let block = PythonBlock(
        self, occurrences, name: names.unused(isSum ? "ResidualBlock" : "Block"))
      classes.append(block.type)
      for (region, member) in zip(occurrences, block.members(named: &names)) {
        replacements.append((region, network.members.count))
        network.members.append(member)
      }
    }
    guard !replacements.isEmpty else { return [self] }
    var (result, position) = ([PythonStatement](), 0)
    replacements.sort { $0.region.range.lowerBound < $1.region.range.lowerBound }
    for (region, member) in replacements {
      result += statements[position..<region.range.lowerBound]
      let last = statements[region.range].last { $0.outputs == [region.exit] }
      result.append(
        PythonStatement(
          outputs: [region.exit],
          expression: "\(PythonExpression.Piece.member(member))(\(.value(region.entry)))",
          types: last?.types ?? [], isLayer: true))
      position = region.range.upperBound
    }
    result += statements[position...]
    network.methods =
      [
        PythonMethod(
          name: methods[0].name, parameters: methods[0].parameters, statements: result,
          results: methods[0].results)
      ] + methods.dropFirst()
    return classes + [network.keepingNeededMembers()]
  }
}

/// Equal regions of a network as one class.
private struct PythonBlock {
  let type: PythonClass
  /// The members of the network that each occurrence has, in one order.
  private let parts: [[PythonMember]]
  /// The names of the parts in the class.
  private let localNames: [String]
  /// The names of the occurrences; `nil` where the parts of each do not share a part of their name.
  private let prefixes: [String]?
  /// The arguments of each occurrence.
  private let arguments: [[String]]

  init(_ network: PythonClass, _ occurrences: [PythonRegion], name: String) {
    let statements = network.methods[0].statements
    let positions = occurrences.map { Self.members(statements[$0.range]) }
    parts = positions.map { $0.map { network.members[$0] } }
    let prefixes = parts.map { Self.commonPrefix($0.map(\.name)) }
    let suffixes = zip(parts, prefixes).map { parts, prefix in
      parts.map { String($0.name.dropFirst(prefix.count)) }
    }
    let isNamed =
      Set(suffixes).count == 1 && Set(prefixes).count == prefixes.count
      && suffixes[0].allSatisfy { $0.first?.isLetter == true }
    self.prefixes = isNamed ? prefixes.map { String($0.dropLast()) } : nil
    localNames = isNamed ? suffixes[0] : Self.names(parts[0])
    var columns: [[String]] = []
    var parameters = PythonNames()
    var parameterNames: [String] = []
    var members: [PythonMember] = []
    for (index, part) in parts[0].enumerated() {
      guard case .module(let type, let arguments) = part.kind else {
        members.append(
          PythonMember(name: localNames[index], kind: part.kind, weights: part.weights))
        continue
      }
      var local: [PythonMember.Argument] = []
      for (place, argument) in arguments.enumerated() {
        let column = parts.map { Self.value($0[index], place) }
        if Set(column).count == 1 {
          local.append(argument)
        } else if let known = columns.firstIndex(of: column) {
          local.append(.init(argument.label, parameterNames[known]))
        } else {
          let role = argument.label.isEmpty ? ["in", "out", "size"][min(place, 2)] : argument.label
          columns.append(column)
          parameterNames.append(parameters.unused("\(localNames[index])_\(role)"))
          local.append(.init(argument.label, parameterNames[columns.count - 1]))
        }
      }
      members.append(
        PythonMember(
          name: localNames[index], kind: .module(type, local), weights: part.weights))
    }
    self.arguments = occurrences.indices.map { occurrence in columns.map { $0[occurrence] } }
    let renumbered = Dictionary(uniqueKeysWithValues: positions[0].enumerated().map { ($1, $0) })
    let body = statements[occurrences[0].range].map { statement in
      PythonStatement(
        outputs: statement.outputs, expression: statement.expression, types: [],
        isLayer: statement.isLayer, groupsRest: statement.groupsRest)
    }
    let method = PythonMethod(
      name: "forward", parameters: [("x", occurrences[0].entry)], statements: body,
      results: [PythonExpression([.value(occurrences[0].exit)])])
    type = PythonClass(
      name: name, parameters: parameterNames, members: members,
      methods: [method.renumbering { renumbered[$0] ?? 0 }])
  }

  /// The members of the network for the occurrences, in their order.
  func members(named names: inout PythonNames) -> [PythonMember] {
    parts.indices.map { occurrence in
      let state = zip(parts[occurrence], localNames).flatMap { part, name in
        part.weights.map { $0.within(name) }
      }
      return PythonMember(
        name: names.unused(prefixes?[occurrence] ?? "block"),
        kind: .module(type.name, arguments[occurrence].map { .init($0) }), weights: state)
    }
  }

  /// The positions of the members that statements use, in order.
  private static func members(_ statements: ArraySlice<PythonStatement>) -> [Int] {
    var result: [Int] = []
    for position in statements.flatMap(\.expression.members) where !result.contains(position) {
      result.append(position)
    }
    return result
  }

  private static func value(_ member: PythonMember, _ place: Int) -> String {
    guard case .module(_, let arguments) = member.kind else { return "" }
    return arguments[place].value
  }

  /// The longest beginning that names share, up to an underscore.
  private static func commonPrefix(_ names: [String]) -> String {
    guard var prefix = names.first, names.count > 1 else { return "" }
    for name in names.dropFirst() { prefix = prefix.commonPrefix(with: name) }
    guard let end = prefix.lastIndex(of: "_") else { return "" }
    return String(prefix[...end])
  }

  /// Names by the classes of members.
  private static func names(_ members: [PythonMember]) -> [String] {
    let bases = members.map { member in
      guard case .module(let type, _) = member.kind else { return "weight" }
      let name = type.split(separator: ".").last.map(String.init) ?? type
      return name.hasPrefix("Conv")
        ? "conv" : name.contains("Norm") ? "norm" : name.lowercased().filter(\.isLetter)
    }
    var names = PythonNames()
    return bases.map { names.unused($0) }
  }
}

extension String {
  /// The beginning that both have.
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
