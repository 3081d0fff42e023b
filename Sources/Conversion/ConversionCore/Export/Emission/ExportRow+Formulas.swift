import Bytes
package import GraphIR
package import LayerCatalog

extension ExportRow where Builder.Value == ExportOperand, Builder.Output == String {
  /// Creates a row for an operator that is written as a formula of other operators, in the layout of
  /// the table.
  package init<Operation: CatalogOperator>(
    formula type: Operation.Type,
    _ formula:
      @escaping @Sendable (Operation, inout Composition) throws(Failure) -> ValueID
  ) {
    self.init(type) { (operation, builder) throws(Failure) in
      try builder.compose(builder.operands) { (make) throws(Failure) in
        [try formula(operation, &make)]
      }[0].name
    }
  }
}
