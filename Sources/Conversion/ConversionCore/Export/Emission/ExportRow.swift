package import Bytes
package import GraphIR
package import LayerCatalog

/// How a target writes an operator, if it can.
package enum TargetMapping<Rule: Sendable>: Sendable {
  case mapped(Rule)
  /// The target cannot write it, with the reason.
  case unsupported(String)
}

/// How an operator is written.
package struct ExportRule<Builder: ExportBuilder>: Sendable {
  /// What a rule throws. (An alias, because the compiler does not count an error type used only
  /// after `throws` as a use of its module.)
  package typealias Failure = WeighbridgeError

  /// Adds the nodes that an operator becomes and returns its outputs; `nil` if the target has no
  /// form for its settings, so that it must be decomposed.
  package let apply:
    @Sendable (any CatalogOperator, inout Builder) throws(Failure) -> [Builder.Output]?
}

/// How a target writes one kind of operator.
package struct ExportRow<Builder: ExportBuilder>: Sendable {
  /// What a rule throws.
  package typealias Failure = WeighbridgeError

  /// The kind of the operator.
  package let kind: String
  /// The rule, or the reason why there is none.
  package let mapping: TargetMapping<ExportRule<Builder>>

  /// Creates a row for an operator with several outputs.
  package init<Operation: CatalogOperator>(
    outputsOf type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout Builder) throws(Failure) -> [Builder.Output]
  ) {
    kind = type.kind
    mapping = .mapped(
      ExportRule { (operation, builder) throws(Failure) in
        guard let operation = operation as? Operation else {
          throw .unsupported("is no \(Operation.kind)")
        }
        return try rule(operation, &builder)
      })
  }

  /// Creates a row for an operator with one output.
  package init<Operation: CatalogOperator>(
    _ type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout Builder) throws(Failure) -> Builder.Output
  ) {
    self.init(outputsOf: type) { (operation, builder) throws(Failure) in
      [try rule(operation, &builder)]
    }
  }

  /// Creates a row for an operator that the target supports with some settings only.
  package init<Operation: CatalogOperator>(
    native type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout Builder) throws(Failure) -> Builder.Output?
  ) {
    self.init(nativeOutputsOf: type) { (operation, builder) throws(Failure) in
      try rule(operation, &builder).map { [$0] }
    }
  }

  /// Creates a row for an operator with several outputs that the target supports with some settings
  /// only.
  package init<Operation: CatalogOperator>(
    nativeOutputsOf type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout Builder) throws(Failure) -> [Builder.Output]?
  ) {
    kind = type.kind
    mapping = .mapped(
      ExportRule { (operation, builder) throws(Failure) in
        guard let operation = operation as? Operation else { return nil }
        return try rule(operation, &builder)
      })
  }

  /// Creates a row for an operator of any type.
  package init(
    kind: String,
    _ rule:
      @escaping @Sendable (any CatalogOperator, inout Builder) throws(Failure)
      -> [Builder.Output]
  ) {
    self.kind = kind
    mapping = .mapped(ExportRule(apply: rule))
  }

  /// Creates a row for an operator that cannot be written.
  package init(_ type: any CatalogOperator.Type, unsupported reason: String) {
    self.init(kind: type.kind, unsupported: reason)
  }

  /// Creates a row for an operator that cannot be written, by its kind.
  package init(kind: String, unsupported reason: String) {
    self.kind = kind
    mapping = .unsupported(reason)
  }

  /// Creates a row for an operator that is decomposed after a conversion to the table's layout.
  package init(composite type: any CatalogOperator.Type) {
    kind = type.kind
    mapping = .mapped(ExportRule { (_, _) throws(Failure) in nil })
  }
}

extension ExportRow {
  /// Makes rows for operators that cannot be written, by reason.
  package static func refusals(
    _ reasons: KeyValuePairs<String, [any CatalogOperator.Type]>
  ) -> [ExportRow] {
    reasons.flatMap { reason, types in types.map { ExportRow($0, unsupported: reason) } }
  }
}

extension ExportRow {
  /// Makes rows for the loops and branches that a target lacks.
  ///
  /// - Parameter limitation: What it can do instead, as a clause.
  package static func refusingControl(_ limitation: String) -> [ExportRow] {
    let reason =
      "decides only when it runs what is computed, and \(limitation); an input that decides it can be "
      + "fixed when the original is read (\(APIName.fixedInputs))"
    return [
      ExportRow(Conditional.self, unsupported: reason), ExportRow(Loop.self, unsupported: reason),
    ]
  }
}

/// How a target writes each kind of operator. Operators without a row are decomposed.
package struct ExportTable<Builder: ExportBuilder>: Sendable {
  /// The kinds of all rows, one entry per row.
  package let kinds: [String]
  /// The axis order of the images that the rules take; `nil` if they take both.
  package let layout: DataLayout?
  private let mappings: [String: TargetMapping<ExportRule<Builder>>]

  package init(layout: DataLayout?, _ rows: [[ExportRow<Builder>]]) {
    self.layout = layout
    let all = rows.flatMap { $0 }
    kinds = all.map(\.kind)
    mappings = Dictionary(
      all.map { ($0.kind, $0.mapping) }, uniquingKeysWith: { first, _ in first })
  }

  /// How an operator is written; `nil` when it is decomposed.
  package func mapping(
    of operation: any CatalogOperator
  ) -> TargetMapping<ExportRule<Builder>>? {
    lacksLayout(of: operation) ? nil : mappings[operation.kind]
  }

  /// Whether the target has an operator only for images in the table's layout.
  package func needsLayout(_ operation: any CatalogOperator) -> Bool {
    guard layout != nil, operation is any ImageOperator, case .mapped? = mappings[operation.kind]
    else { return false }
    return true
  }

  /// Whether the target has an operator, but not for the layout of this one.
  package func lacksLayout(of operation: any CatalogOperator) -> Bool {
    needsLayout(operation) && (operation as? any ImageOperator)?.layout != layout
  }

  /// The reason why an operator of a kind is never written; `nil` when it is.
  package func refusal(of kind: String) -> String? {
    if case .unsupported(let reason) = mappings[kind] { reason } else { nil }
  }
}
