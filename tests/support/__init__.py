"""What tests share: companies, minds, servers, hands for jobs."""
